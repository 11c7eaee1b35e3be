package clients

import (
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	"chainguard.dev/sdk/validation"
)

// detail is the error's detail of a type; the first one is always an ErrorInfo.
func detail[T any](t *testing.T, err error) T {
	t.Helper()
	details := status.Convert(err).Details()
	if len(details) > 0 {
		if _, ok := details[0].(*errdetails.ErrorInfo); !ok {
			t.Errorf("%v: the first detail is a %T", err, details[0])
		}
	}
	for _, detail := range details {
		if wanted, ok := detail.(T); ok {
			return wanted
		}
	}
	var none T
	t.Fatalf("%v: no %T among the details %v", err, none, details)
	return none
}

func TestErrorsSayMoreInDetails(t *testing.T) {
	w := newWorld(t)
	groups := w.owner.IAM().GroupsService()
	ctx := deadline(t)

	_, err := groups.CreateGroup(ctx, &iam.CreateGroupRequest{Parent: w.org, Group: &iam.Group{Name: "No Name"}})
	same(t, "code", status.Code(err), codes.InvalidArgument)
	same(t, "reason", detail[*errdetails.ErrorInfo](t, err).GetReason(), "INVALID_ARGUMENT")
	same(t, "violation", detail[*errdetails.BadRequest](t, err).GetFieldViolations()[0].GetField(), "name")
	if !strings.HasPrefix(status.Convert(err).Message(), "Invalid argument: name: ") {
		t.Errorf("message: %v", err)
	}

	w.group(t, w.org, "child")
	_, err = groups.DeleteGroup(ctx, &iam.DeleteGroupRequest{Uid: w.org})
	same(t, "code", status.Code(err), codes.FailedPrecondition)
	same(t, "type", detail[*errdetails.PreconditionFailure](t, err).GetViolations()[0].GetType(), "RESOURCE_NOT_EMPTY")

	unknown := &iam.GetGroupRequest{Uid: w.org + "/0123456789abcdef"}
	_, err = groups.GetGroup(ctx, unknown)
	same(t, "nothing there", status.Code(err), codes.NotFound)
	stranger := newWorld(t)
	_, err = stranger.owner.IAM().GroupsService().GetGroup(ctx, unknown)
	same(t, "not for this caller", status.Code(err), codes.PermissionDenied)
	_, err = connect(t, "nonsense").IAM().GroupsService().GetGroup(ctx, unknown)
	same(t, "no token", status.Code(err), codes.Unauthenticated)
}

func TestTheServerAcceptsWhatTheSDKAccepts(t *testing.T) {
	w := newWorld(t)
	create := func(group *iam.Group) error {
		_, err := w.owner.IAM().GroupsService().CreateGroup(deadline(t), &iam.CreateGroupRequest{Parent: w.org, Group: group})
		return err
	}
	for _, name := range []string{"", "ok", "a", "a b", "a_b.c-d", " ", "UPPER", "ä", "a/b", "a\nb", "a:b", strings.Repeat("a", 255)} {
		err := create(&iam.Group{Name: name})
		same(t, "the name "+name, err == nil, validation.ValidateName(name) == nil)
	}
	for _, text := range []string{"", "Text with spaces.", "ünicode ✓", "two\nlines", "a\ttab", strings.Repeat("d", 512), strings.Repeat("d", 513)} {
		err := create(&iam.Group{Name: "described", Description: text})
		same(t, "the description "+text, err == nil, validation.ValidateDescription(text) == nil)
	}
}
