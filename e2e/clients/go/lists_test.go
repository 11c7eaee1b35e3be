package clients

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	common "chainguard.dev/sdk/proto/platform/common/v1"
)

func TestLists(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	var names []string
	for i := range 7 {
		names = append(names, fmt.Sprintf("folder %d", i))
		w.group(t, w.org, names[i])
	}
	children := &common.UIDPFilter{ChildrenOf: w.org}

	// By the SDK's own iterators, which follow the page tokens.
	all := got(w.owner.IAM().ListGroupsAll(ctx, &iam.ListGroupsRequest{Uidp: children, PageSize: 3, OrderBy: "name desc"}))(t)
	var listed []string
	for _, group := range all {
		listed = append(listed, group.GetName())
	}
	slices.Reverse(names)
	if !slices.Equal(listed, names) {
		t.Errorf("got %v, want %v", listed, names)
	}
	seen := 0
	for _, err := range w.owner.IAM().ListGroupsIter(ctx, &iam.ListGroupsRequest{Uidp: children, PageSize: 2}) {
		must(t, err)
		if seen++; seen == 3 {
			break
		}
	}
	same(t, "an iteration that stops early", seen, 3)

	// Page by page, with a skip.
	groups := w.owner.IAM().GroupsService()
	request := &iam.ListGroupsRequest{Uidp: children, PageSize: 3, OrderBy: "name", Skip: 2}
	page := got(groups.ListGroups(ctx, request))(t)
	same(t, "total", page.GetTotalCount(), 7)
	same(t, "skipped", page.GetSkipped(), 2)
	same(t, "first of the page", page.GetGroups()[0].GetName(), "folder 2")
	request.PageToken, request.Skip = page.GetNextPageToken(), 0
	last := got(groups.ListGroups(ctx, request))(t)
	same(t, "length of the last page", len(last.GetGroups()), 2)
	same(t, "the last page's token", last.GetNextPageToken(), "")
	request.OrderBy = "name desc"
	_, err := groups.ListGroups(ctx, request)
	same(t, "a token of another order", status.Code(err), codes.InvalidArgument)

	for _, list := range []struct {
		what    string
		request *iam.ListGroupsRequest
		want    int64
	}{
		{"descendants, the group itself among them", &iam.ListGroupsRequest{Uidp: &common.UIDPFilter{DescendantsOf: w.org}}, 8},
		{"by name", &iam.ListGroupsRequest{Uidp: children, Name: "folder 4"}, 1},
		{"an empty filter filters nothing", &iam.ListGroupsRequest{Uidp: &common.UIDPFilter{}}, 8},
		{"roots", &iam.ListGroupsRequest{Uidp: &common.UIDPFilter{InRoot: true}}, 1},
		{"by identifier", &iam.ListGroupsRequest{Uidp: &common.UIDPFilter{Ids: []string{all[0].GetUid(), w.org}}}, 2},
		{"ancestors", &iam.ListGroupsRequest{Uidp: &common.UIDPFilter{AncestorsOf: all[0].GetUid()}}, 1},
		{"nothing there", &iam.ListGroupsRequest{Name: "nobody"}, 0},
	} {
		answer := got(groups.ListGroups(ctx, list.request))(t)
		same(t, list.what, answer.GetTotalCount(), list.want)
		same(t, list.what, int64(len(answer.GetGroups())), list.want)
	}
	_, err = groups.ListGroups(ctx, &iam.ListGroupsRequest{PageSize: -1})
	same(t, "a negative page", status.Code(err), codes.InvalidArgument)
}
