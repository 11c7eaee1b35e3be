package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	old "chainguard.dev/sdk/proto/platform/iam/v1"
)

// provider makes an identity provider of the organization.
func (w *world) provider(t *testing.T) string {
	t.Helper()
	oidc := &iam.IdentityProvider_OIDC{Issuer: "https://login.example.com", ClientId: "provost", PkceEnabled: true, GroupsClaim: "groups"}
	made := got(w.owner.IAM().IdentityProvidersService().CreateIdentityProvider(deadline(t), &iam.CreateIdentityProviderRequest{
		Parent: w.org,
		IdentityProvider: &iam.IdentityProvider{
			Name: "login", DefaultRole: w.roles["viewer"], Configuration: &iam.IdentityProvider_Oidc{Oidc: oidc},
		},
	}))(t)
	return made.GetUid()
}

func TestExternalGroupRoleMappings(t *testing.T) {
	w := newWorld(t)
	ctx, provider := deadline(t), w.provider(t)
	mappings := w.owner.IAM().ExternalGroupRoleMappingsService()
	create := func(group string) (*iam.ExternalGroupRoleMapping, error) {
		return mappings.CreateExternalGroupRoleMapping(ctx, &iam.CreateExternalGroupRoleMappingRequest{
			Parent: provider,
			ExternalGroupRoleMapping: &iam.ExternalGroupRoleMapping{
				ExternalGroupId: group, RoleUid: w.roles["editor"], Scope: w.org,
			},
		})
	}
	made := got(create("developers"))(t)
	same(t, "its provider", made.GetIdentityProviderUid(), provider)
	_, err := create("developers")
	same(t, "the same again", status.Code(err), codes.AlreadyExists)
	read := got(mappings.GetExternalGroupRoleMapping(ctx, &iam.GetExternalGroupRoleMappingRequest{Uid: made.GetUid()}))(t)
	same(t, "what is read", read.String(), made.String())
	second := got(create("testers"))(t)
	page := got(mappings.ListExternalGroupRoleMappings(ctx, &iam.ListExternalGroupRoleMappingsRequest{IdentityProviderUid: provider}))(t)
	same(t, "those of the provider", page.GetTotalCount(), 2)
	batch := &iam.BatchDeleteExternalGroupRoleMappingsRequest{
		Parent: provider, Names: []string{second.GetUid(), provider + "/0000000000000000"},
	}
	gone := got(mappings.BatchDeleteExternalGroupRoleMappings(ctx, batch))(t)
	same(t, "what was there", len(gone.GetExternalGroupRoleMappings()), 1)
	got(mappings.DeleteExternalGroupRoleMapping(ctx, &iam.DeleteExternalGroupRoleMappingRequest{Uid: made.GetUid()}))(t)
	_, err = mappings.DeleteExternalGroupRoleMapping(ctx, &iam.DeleteExternalGroupRoleMappingRequest{Uid: made.GetUid()})
	same(t, "a deleted one", status.Code(err), codes.NotFound)
}

func TestExternalGroupRoleMappingsOfV1(t *testing.T) {
	w := newWorld(t)
	ctx, provider := deadline(t), w.provider(t)
	mappings := old.NewExternalGroupRoleMappingsClient(w.conn(t))
	create := func(group string) *old.ExternalGroupRoleMapping {
		mapping := &old.ExternalGroupRoleMapping{ExternalGroupId: group, RoleUidp: w.roles["editor"], Scope: w.org}
		return got(mappings.Create(ctx, &old.CreateExternalGroupRoleMappingRequest{ParentId: provider, Mapping: mapping}))(t)
	}
	made, second := create("developers"), create("testers")
	read := got(mappings.Get(ctx, &old.GetExternalGroupRoleMappingRequest{Uid: made.GetId()}))(t)
	same(t, "what is read", read.String(), made.String())
	listed := got(mappings.List(ctx, &old.ExternalGroupRoleMappingFilter{IdentityProviderUidp: provider}))(t)
	same(t, "those of the provider", len(listed.GetItems()), 2)
	batch := &old.BatchDeleteExternalGroupRoleMappingsRequest{ParentId: provider, Ids: []string{second.GetId()}}
	same(t, "what was there", len(got(mappings.BatchDelete(ctx, batch))(t).GetItems()), 1)
	got(mappings.Delete(ctx, &old.DeleteExternalGroupRoleMappingRequest{Id: made.GetId()}))(t)
	_, err := mappings.Get(ctx, &old.GetExternalGroupRoleMappingRequest{Uid: made.GetId()})
	same(t, "a deleted one", status.Code(err), codes.NotFound)
}
