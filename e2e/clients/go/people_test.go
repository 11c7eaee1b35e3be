package clients

import (
	"context"
	neturl "net/url"
	"strings"
	"testing"
	"time"

	"chainguard.dev/go-grpc-kit/pkg/options"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"chainguard.dev/sdk/auth"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	authv1 "chainguard.dev/sdk/proto/platform/auth/v1"
	old "chainguard.dev/sdk/proto/platform/iam/v1"
	"chainguard.dev/sdk/sts"
)

// dial connects with a token, as the SDK does.
func dial(t *testing.T, token string) *grpc.ClientConn {
	t.Helper()
	target, opts := options.GRPCOptions(*got(neturl.Parse(url))(t))
	credentials := auth.NewFromToken(deadline(t), "Bearer "+token, false)
	conn := got(grpc.NewClient(target, append(opts, grpc.WithPerRPCCredentials(credentials))...))(t)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// person is the upstream token of somebody whose address the development identity provider vouches for.
func person(t *testing.T, name, address string) string {
	t.Helper()
	if idp == "" {
		t.Skip("the server has no development identity provider")
	}
	return mint(t, t.Name()+" "+name, map[string]any{"email": address, "email_verified": true})
}

// register makes a user, or takes up an invite.
func register(ctx context.Context, t *testing.T, upstream, code string) (*authv1.Session, error) {
	t.Helper()
	return authv1.NewAuthClient(dial(t, upstream)).Register(ctx, &authv1.RegistrationRequest{Code: code})
}

// login exchanges the token of a user who has registered.
func login(t *testing.T, upstream string) string {
	t.Helper()
	return got(sts.New(url, url).Exchange(deadline(t), upstream))(t).AccessToken
}

func TestInvitesLetPeopleIn(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	bea := person(t, "bea", "bea@example.com")
	invites := w.owner.IAM().GroupInvitesService()
	made := got(invites.CreateGroupInvite(ctx, &iam.CreateGroupInviteRequest{Parent: w.org, GroupInvite: &iam.GroupInvite{
		RoleUid: w.roles["viewer"], Ttl: durationpb.New(time.Hour), Email: "bea@example.com", SingleUse: true,
	}}))(t)
	if made.GetCode() == "" || made.GetRole().GetName() != "viewer" {
		t.Fatalf("an invite without code or role: %v", made)
	}
	read := got(invites.GetGroupInvite(ctx, &iam.GetGroupInviteRequest{Uid: made.GetUid()}))(t)
	same(t, "the code, which is shown once", read.GetCode(), "")

	_, err := register(ctx, t, person(t, "cy", "cy@example.com"), made.GetCode())
	same(t, "an invite of somebody else", status.Code(err), codes.PermissionDenied)
	session := got(register(ctx, t, bea, made.GetCode()))(t)
	same(t, "where it leads", session.GetGroup(), w.org)
	_, err = invites.GetGroupInvite(ctx, &iam.GetGroupInviteRequest{Uid: made.GetUid()})
	same(t, "an invite that was taken up", status.Code(err), codes.NotFound)

	token := login(t, bea)
	me := got(authv1.NewAuthClient(dial(t, token)).Validate(ctx, &emptypb.Empty{}))(t)
	same(t, "who is in", me.GetSubject()+" "+me.GetEmail(), session.GetIdentity()+" bea@example.com")
	same(t, "as what", me.GetCapabilities()[0].GetRole().GetName(), "viewer")
	got(connect(t, token).IAM().GroupsService().GetGroup(ctx, &iam.GetGroupRequest{Uid: w.org}))(t)
	_, err = authv1.NewAuthClient(dial(t, token)).Delete(ctx, &authv1.DeletionRequest{Id: session.GetIdentity()})
	must(t, err)
	_, err = sts.New(url, url).Exchange(ctx, bea)
	if code := status.Code(err); code != codes.PermissionDenied && code != codes.NotFound {
		t.Errorf("a deleted user logs in: %v", err)
	}
}

func TestInvitesOfV1(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	invites := old.NewGroupInvitesClient(w.conn(t))
	request := &old.GroupInviteRequest{Group: w.org, Role: w.roles["editor"], Ttl: durationpb.New(time.Hour)}
	made := got(invites.Create(ctx, request))(t)
	listed := got(invites.List(ctx, &old.GroupInviteFilter{Group: w.org}))(t)
	same(t, "invites", len(listed.GetItems()), 1)
	same(t, "what is listed", listed.GetItems()[0].GetId()+" "+listed.GetItems()[0].GetRole().GetName(), made.GetId()+" editor")
	session := got(register(ctx, t, person(t, "dan", "dan@example.com"), made.GetCode()))(t)
	same(t, "where it leads", session.GetGroup(), w.org)
	got(invites.Delete(ctx, &old.DeleteGroupInviteRequest{Id: made.GetId()}))(t)
}

// TestAsksForAccess makes an organization that is verified, and somebody of its domain who asks to be let in.
func TestAsksForAccess(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	domain := strings.ToLower(t.Name()) + time.Now().Format("150405") + ".example.com"
	operators := connect(t, operator).IAM().GroupsService()
	made := got(operators.CreateGroup(ctx, &iam.CreateGroupRequest{Group: &iam.Group{
		Name: domain, Verified: true, Kind: iam.OrgKind_ORG_KIND_CUSTOMER,
	}}))(t)
	ana := person(t, "ana", "ana@"+domain)
	got(register(ctx, t, ana, ""))(t)
	token := login(t, ana)
	groups := connect(t, token).IAM().GroupsService()
	same(t, "eligible", got(groups.CheckEligibility(ctx, &iam.CheckEligibilityRequest{}))(t).GetEligible(), true)
	found := got(groups.LookupGroup(ctx, &iam.LookupGroupRequest{}))(t)
	same(t, "the organization of the address", found.GetGroup().GetUid(), made.GetUid())
	got(groups.RequestGroupAccess(ctx, &iam.RequestGroupAccessRequest{GroupUid: made.GetUid()}))(t)
	v1 := old.NewGroupsClient(dial(t, token))
	_, err := v1.RequestGroupAccess(ctx, &old.RequestGroupAccessRequest{GroupId: made.GetUid()})
	same(t, "asking again, in v1", status.Code(err), codes.ResourceExhausted)
	_, err = groups.RequestGroupAccess(ctx, &iam.RequestGroupAccessRequest{GroupUid: w.org})
	same(t, "asking another organization", status.Code(err), codes.NotFound)
	_, err = groups.RequestGroupAccess(ctx, &iam.RequestGroupAccessRequest{})
	same(t, "asking nobody", status.Code(err), codes.InvalidArgument)
	same(t, "eligible in v1", got(v1.CheckEligibility(ctx, &old.CheckEligibilityRequest{}))(t).GetEligible(), true)
	same(t, "found in v1", got(v1.LookupGroup(ctx, &old.LookupGroupRequest{}))(t).GetGroup().GetId(), made.GetUid())
}
