package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	common "chainguard.dev/sdk/proto/platform/common/v1"
)

func TestIdentityProviders(t *testing.T) {
	w := newWorld(t)
	providers := w.owner.IAM().IdentityProvidersService()
	ctx := deadline(t)
	oidc := func(secret string) *iam.IdentityProvider_Oidc {
		return &iam.IdentityProvider_Oidc{Oidc: &iam.IdentityProvider_OIDC{
			Issuer: "https://login.example.com", ClientId: "provost", ClientSecret: secret, AdditionalScopes: []string{"groups", "email"},
		}}
	}
	made := got(providers.CreateIdentityProvider(ctx, &iam.CreateIdentityProviderRequest{
		Parent:           w.org,
		IdentityProvider: &iam.IdentityProvider{Name: "login", DefaultRole: w.roles["viewer"], Configuration: oidc("a secret")},
	}))(t)
	same(t, "the secret in the answer", made.GetOidc().GetClientSecret(), "")

	// As the Terraform provider updates, which knows no secret of the answer.
	changed := got(providers.UpdateIdentityProvider(ctx, &iam.UpdateIdentityProviderRequest{
		IdentityProvider: &iam.IdentityProvider{
			Uid: made.GetUid(), Name: "sign-in", DefaultRole: w.roles["viewer"], Configuration: oidc(""),
		},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"*"}},
	}))(t)
	same(t, "its name", changed.GetName(), "sign-in")
	read := got(providers.GetIdentityProvider(ctx, &iam.GetIdentityProviderRequest{Uid: made.GetUid()}))(t)
	same(t, "what is read", read.String(), changed.String())
	page := got(providers.ListIdentityProviders(ctx, &iam.ListIdentityProvidersRequest{Uidp: &common.UIDPFilter{ChildrenOf: w.org}}))(t)
	same(t, "those of the organization", page.GetTotalCount(), 1)

	_, err := w.owner.IAM().GroupsService().DeleteGroup(ctx, &iam.DeleteGroupRequest{Uid: w.org})
	same(t, "an organization where people log in", status.Code(err), codes.FailedPrecondition)
	got(providers.DeleteIdentityProvider(ctx, &iam.DeleteIdentityProviderRequest{Uid: made.GetUid()}))(t)
	_, err = providers.GetIdentityProvider(ctx, &iam.GetIdentityProviderRequest{Uid: made.GetUid()})
	same(t, "a deleted one", status.Code(err), codes.NotFound)
}
