package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	common "chainguard.dev/sdk/proto/platform/common/v1"
)

func TestIdentities(t *testing.T) {
	w := newWorld(t)
	identities := w.owner.IAM().IdentitiesService()
	ctx := deadline(t)
	match := func(subject string) *iam.Identity_ClaimMatch_ {
		return &iam.Identity_ClaimMatch_{ClaimMatch: &iam.Identity_ClaimMatch{
			Iss:    &iam.Identity_ClaimMatch_Issuer{Issuer: "https://token.actions.githubusercontent.com"},
			Sub:    &iam.Identity_ClaimMatch_SubjectPattern{SubjectPattern: subject},
			Claims: map[string]string{"repository_owner": "acme"},
		}}
	}
	create := func(name string, identity *iam.Identity) *iam.Identity {
		identity.Name = name
		return got(identities.CreateIdentity(ctx, &iam.CreateIdentityRequest{Parent: w.org, Identity: identity}))(t)
	}
	ci := create("ci", &iam.Identity{Description: "builds", Relationship: match("repo:acme/app:.*")})
	create("robot", &iam.Identity{Relationship: w.keys(t, "robot")})
	create("instance", &iam.Identity{Relationship: &iam.Identity_AwsIdentity{AwsIdentity: &iam.Identity_AWSIdentity{
		AwsAccount: "123456789012",
		AwsArn:     &iam.Identity_AWSIdentity_ArnPattern{ArnPattern: "^arn:aws:sts::123456789012:assumed-role/build/.*$"},
		AwsUserId:  &iam.Identity_AWSIdentity_UserIdPattern{UserIdPattern: "^AROA.*$"},
	}}})
	create("part", &iam.Identity{Relationship: &iam.Identity_ServicePrincipal{ServicePrincipal: iam.ServicePrincipal_SERVICE_PRINCIPAL_COSIGNED}})

	read := got(identities.GetIdentity(ctx, &iam.GetIdentityRequest{Uid: ci.GetUid()}))(t)
	same(t, "what is read", read.String(), ci.String())
	same(t, "a claim", read.GetClaimMatch().GetClaims()["repository_owner"], "acme")

	// The whole identity, as the Terraform provider writes it.
	ci = got(identities.UpdateIdentity(ctx, &iam.UpdateIdentityRequest{
		Identity:   &iam.Identity{Uid: ci.GetUid(), Name: "ci 2", Relationship: match("repo:acme/other:.*")},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"*"}},
	}))(t)
	same(t, "name", ci.GetName(), "ci 2")
	same(t, "description", ci.GetDescription(), "")
	same(t, "subject", ci.GetClaimMatch().GetSubjectPattern(), "repo:acme/other:.*")
	ci = got(identities.UpdateIdentity(ctx, &iam.UpdateIdentityRequest{
		Identity:   &iam.Identity{Uid: ci.GetUid(), Description: "builds again"},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"description"}},
	}))(t)
	same(t, "name", ci.GetName(), "ci 2")
	same(t, "description", ci.GetDescription(), "builds again")

	all := got(w.owner.IAM().ListIdentitiesAll(ctx, &iam.ListIdentitiesRequest{
		Uidp:     &common.UIDPFilter{ChildrenOf: w.org},
		PageSize: 2,
	}))(t)
	same(t, "identities, the owner among them", len(all), 5)
	page := got(identities.ListIdentities(ctx, &iam.ListIdentitiesRequest{
		RelationshipType: iam.RelationshipType_RELATIONSHIP_TYPE_AWS_IDENTITY,
	}))(t)
	same(t, "identities of AWS", page.GetTotalCount(), 1)

	lookup := &iam.LookupIdentityRequest{Issuer: "https://accounts.example.com", Subject: "somebody"}
	first := got(identities.LookupIdentity(ctx, lookup))(t)
	second := got(identities.LookupIdentity(ctx, lookup))(t)
	same(t, "a user's identifier", first.GetUid(), second.GetUid())

	got(identities.DeleteIdentity(ctx, &iam.DeleteIdentityRequest{Uid: ci.GetUid()}))(t)
	_, err := identities.DeleteIdentity(ctx, &iam.DeleteIdentityRequest{Uid: ci.GetUid()})
	same(t, "a deleted identity", status.Code(err), codes.NotFound)
}
