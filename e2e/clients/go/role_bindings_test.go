package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	common "chainguard.dev/sdk/proto/platform/common/v1"
	"chainguard.dev/sdk/uidp"
)

func TestRoleBindings(t *testing.T) {
	w := newWorld(t)
	bindings := w.owner.IAM().RoleBindingsService()
	ctx := deadline(t)
	folder := w.group(t, w.org, "folder").GetUid()
	identity := w.workload(t, folder, "viewer")

	page := got(bindings.ListRoleBindings(ctx, &iam.ListRoleBindingsRequest{Identity: identity}))(t)
	same(t, "bindings of the identity", page.GetTotalCount(), 1)
	binding := page.GetRoleBindings()[0]
	same(t, "parent", uidp.Parent(binding.GetUid()), folder)
	same(t, "identity", binding.GetIdentity().GetName()+" "+binding.GetIdentity().GetIssuer(), "viewer "+issuer)
	same(t, "role", binding.GetRole().GetName(), "viewer")
	same(t, "group", binding.GetGroup().GetUid()+" "+binding.GetGroup().GetName(), folder+" folder")
	read := got(bindings.GetRoleBinding(ctx, &iam.GetRoleBindingRequest{Uid: binding.GetUid()}))(t)
	same(t, "what is read", read.String(), binding.String())

	// In place, as the Terraform provider does it.
	changed := got(bindings.UpdateRoleBinding(ctx, &iam.UpdateRoleBindingRequest{
		RoleBinding: &iam.RoleBinding{Uid: binding.GetUid(), IdentityUid: identity, RoleUid: w.roles["editor"]},
		UpdateMask:  &fieldmaskpb.FieldMask{Paths: []string{"*"}},
	}))(t)
	same(t, "role", changed.GetRole().GetName(), "editor")
	same(t, "identifier", changed.GetUid(), binding.GetUid())

	batch := got(bindings.BatchCreateRoleBindings(ctx, &iam.BatchCreateRoleBindingsRequest{
		Parent: w.org,
		Requests: []*iam.CreateRoleBindingRequest{
			{RoleBinding: &iam.RoleBinding{IdentityUid: identity, RoleUid: w.roles["registry.pull"]}},
			{RoleBinding: &iam.RoleBinding{IdentityUid: identity, RoleUid: w.roles["apk.pull"]}},
		},
	}))(t)
	same(t, "a batch", len(batch.GetRoleBindings()), 2)
	same(t, "its order", batch.GetRoleBindings()[0].GetRole().GetName(), "registry.pull")
	all := got(w.owner.IAM().ListRoleBindingsAll(ctx, &iam.ListRoleBindingsRequest{
		Uidp:     &common.UIDPFilter{DescendantsOf: w.org},
		PageSize: 2,
	}))(t)
	same(t, "bindings, the owner's among them", len(all), 4)

	// Deleting twice is no error, and counts at once.
	viewer := connect(t, w.exchange(t, identity, "viewer"))
	bound := &iam.GetRoleBindingRequest{Uid: binding.GetUid()}
	got(viewer.IAM().RoleBindingsService().GetRoleBinding(ctx, bound))(t)
	for range 2 {
		got(bindings.DeleteRoleBinding(ctx, &iam.DeleteRoleBindingRequest{Uid: binding.GetUid()}))(t)
	}
	_, err := viewer.IAM().RoleBindingsService().GetRoleBinding(ctx, bound)
	same(t, "without its binding", status.Code(err), codes.PermissionDenied)
}
