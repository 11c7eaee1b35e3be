package clients

import (
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"chainguard.dev/sdk/proto/capabilities"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	common "chainguard.dev/sdk/proto/platform/common/v1"
)

func TestRoles(t *testing.T) {
	w := newWorld(t)
	roles := w.owner.IAM().RolesService()
	ctx := deadline(t)
	reading := []capabilities.Capability{
		capabilities.Capability_CAP_REPO_LIST,
		capabilities.Capability_CAP_IAM_GROUPS_LIST,
	}
	role := got(roles.CreateRole(ctx, &iam.CreateRoleRequest{
		Parent: w.org,
		Role:   &iam.Role{Name: "reader", Description: "reads", Capabilities: reading},
	}))(t)
	read := got(roles.GetRole(ctx, &iam.GetRoleRequest{Uid: role.GetUid()}))(t)
	same(t, "what is read", read.String(), role.String())

	role = got(roles.UpdateRole(ctx, &iam.UpdateRoleRequest{
		Role:       &iam.Role{Uid: role.GetUid(), Name: "reader", Capabilities: reading[:1]},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"*"}},
	}))(t)
	same(t, "capabilities", len(role.GetCapabilities()), 1)
	same(t, "description", role.GetDescription(), "")

	page := got(roles.ListRoles(ctx, &iam.ListRolesRequest{Uidp: &common.UIDPFilter{ChildrenOf: w.org}}))(t)
	same(t, "roles of the organization", page.GetTotalCount(), 1)
	// How the Terraform provider finds a built-in role.
	for _, filter := range []*common.UIDPFilter{nil, {}, {ChildrenOf: "/"}} {
		page = got(roles.ListRoles(ctx, &iam.ListRolesRequest{Name: "viewer", Uidp: filter}))(t)
		same(t, "viewers", page.GetTotalCount(), 1)
		same(t, "its identifier", page.GetRoles()[0].GetUid(), "63921b2c44617e3f2603851537be0123af4a57d7")
	}

	_, err := roles.CreateRole(ctx, &iam.CreateRoleRequest{Parent: w.org, Role: &iam.Role{Name: "empty"}})
	same(t, "a role of no capability", status.Code(err), codes.InvalidArgument)
	got(roles.DeleteRole(ctx, &iam.DeleteRoleRequest{Uid: role.GetUid()}))(t)
	_, err = roles.GetRole(ctx, &iam.GetRoleRequest{Uid: role.GetUid()})
	same(t, "a deleted role", status.Code(err), codes.NotFound)
}

func TestBuiltInRolesHoldWhatTheSDKKnows(t *testing.T) {
	w := newWorld(t)
	// Whoever owns an organization here publishes its advisories too, and says what deploys its images.
	owner := slices.Concat(capabilities.OwnerCaps, []capabilities.Capability{
		capabilities.Capability_CAP_ADVISORIES_CREATE,
		capabilities.Capability_CAP_ADVISORIES_UPDATE,
		capabilities.Capability_CAP_ADVISORIES_DELETE,
		capabilities.Capability_CAP_ADVISORIES_APPROVE,
		capabilities.Capability_CAP_REGISTRY_DEPLOYMENTS_CREATE,
		capabilities.Capability_CAP_REGISTRY_DEPLOYMENTS_UPDATE,
	})
	for name, want := range map[string][]capabilities.Capability{
		"owner":                       owner,
		"editor":                      capabilities.EditorCaps,
		"viewer":                      capabilities.ViewerCaps,
		"console_viewer":              capabilities.ConsoleViewerCaps,
		"registry.pull":               capabilities.RegistryPullCaps,
		"registry.push":               capabilities.RegistryPushCaps,
		"registry.pull_token_creator": capabilities.RegistryPullTokenCreatorCaps,
		"apk.pull":                    capabilities.APKPullCaps,
	} {
		role := got(w.owner.IAM().RolesService().GetRole(deadline(t), &iam.GetRoleRequest{Uid: w.roles[name]}))(t)
		has := slices.Sorted(slices.Values(role.GetCapabilities()))
		want = slices.Sorted(slices.Values(want))
		if len(want) == 0 || !slices.Equal(has, want) {
			t.Errorf("%s: got %v, want %v", name, has, want)
		}
	}
}
