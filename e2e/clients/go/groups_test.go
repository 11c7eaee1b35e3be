package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	"chainguard.dev/sdk/uidp"
)

func TestGroups(t *testing.T) {
	w := newWorld(t)
	groups := w.owner.IAM().GroupsService()
	ctx := deadline(t)

	folder := got(groups.CreateGroup(ctx, &iam.CreateGroupRequest{
		Parent: w.org,
		Group:  &iam.Group{Name: "folder", Description: "first"},
	}))(t)
	if !uidp.Valid(folder.GetUid()) || !uidp.InRoot(w.org) || !uidp.IsAncestor(w.org, folder.GetUid()) {
		t.Errorf("%q and %q are no UIDPs of a folder and its organization", folder.GetUid(), w.org)
	}
	same(t, "parent", uidp.Parent(folder.GetUid()), w.org)
	same(t, "root", uidp.Root(folder.GetUid()), w.org)
	same(t, "status", folder.GetStatus(), iam.OrgStatus_ORG_STATUS_READY)
	if folder.GetCreateTime().AsTime().IsZero() || !folder.GetCreateTime().AsTime().Equal(folder.GetUpdateTime().AsTime()) {
		t.Errorf("times: %v and %v", folder.GetCreateTime(), folder.GetUpdateTime())
	}
	below := w.group(t, folder.GetUid(), "below")
	same(t, "ancestry", uidp.Ancestry(below.GetUid())[2], w.org)

	read := got(groups.GetGroup(ctx, &iam.GetGroupRequest{Uid: folder.GetUid()}))(t)
	same(t, "what is read", read.String(), folder.String())

	// Without a mask: what is populated.
	folder = got(groups.UpdateGroup(ctx, &iam.UpdateGroupRequest{
		Group: &iam.Group{Uid: folder.GetUid(), Name: "renamed"},
	}))(t)
	same(t, "name", folder.GetName(), "renamed")
	same(t, "description", folder.GetDescription(), "first")
	// With a mask: what it names, cleared if need be.
	folder = got(groups.UpdateGroup(ctx, &iam.UpdateGroupRequest{
		Group:      &iam.Group{Uid: folder.GetUid(), Name: "not this"},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"description"}},
	}))(t)
	same(t, "name", folder.GetName(), "renamed")
	same(t, "description", folder.GetDescription(), "")
	// The mask that the Terraform provider sends, by somebody who may not verify.
	folder = got(groups.UpdateGroup(ctx, &iam.UpdateGroupRequest{
		Group:      &iam.Group{Uid: folder.GetUid(), Name: "again", Description: "second"},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"name", "description", "verified"}},
	}))(t)
	same(t, "name and description", folder.GetName()+" "+folder.GetDescription(), "again second")
	_, err := groups.UpdateGroup(ctx, &iam.UpdateGroupRequest{
		Group:      &iam.Group{Uid: folder.GetUid(), Name: "again"},
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"nonsense"}},
	})
	same(t, "an unknown path", status.Code(err), codes.InvalidArgument)

	_, err = groups.DeleteGroup(ctx, &iam.DeleteGroupRequest{Uid: folder.GetUid()})
	same(t, "a group that is not empty", status.Code(err), codes.FailedPrecondition)
	for _, uid := range []string{below.GetUid(), folder.GetUid()} {
		got(groups.DeleteGroup(ctx, &iam.DeleteGroupRequest{Uid: uid}))(t)
		_, err = groups.GetGroup(ctx, &iam.GetGroupRequest{Uid: uid})
		same(t, "a deleted group", status.Code(err), codes.NotFound)
	}
}
