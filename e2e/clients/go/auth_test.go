package clients

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"chainguard.dev/sdk/auth"
	cache "chainguard.dev/sdk/auth/token"
	v2 "chainguard.dev/sdk/proto/chainguard/platform/clients/v2"
	iamv2 "chainguard.dev/sdk/proto/chainguard/platform/iam/v2"
	"chainguard.dev/sdk/proto/platform"
	ping "chainguard.dev/sdk/proto/platform/ping/v1"
)

func TestValidate(t *testing.T) {
	w := newWorld(t)
	identity := w.workload(t, w.org, "viewer")
	ctx := deadline(t)
	clients := got(platform.NewOIDCClients(ctx, url, auth.NewFromToken(ctx, "Bearer "+w.exchange(t, identity, "viewer"), false)))(t)
	defer clients.Close()
	me := got(clients.Auth().Validate(ctx, &emptypb.Empty{}))(t)
	same(t, "issuer and subject", me.GetIssuer()+" "+me.GetSubject(), url+" "+identity)
	same(t, "audience", me.GetAudience()[0], url)
	if me.GetExpiry().AsTime().Before(time.Now()) || me.GetIssuedAt().AsTime().After(time.Now().Add(time.Minute)) {
		t.Errorf("from %v to %v", me.GetIssuedAt(), me.GetExpiry())
	}
	same(t, "places", len(me.GetCapabilities()), 1)
	same(t, "place", me.GetCapabilities()[0].GetGroup().GetId(), w.org)
	same(t, "role", me.GetCapabilities()[0].GetRole().GetName(), "viewer")
	got(clients.OIDCPing().Ping().Ping(ctx, &ping.PingRequest{}))(t)
}

// TestVersionsShareOneServer uses v1 and v2 clients, with each kind of credentials.
func TestVersionsShareOneServer(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	token := w.exchange(t, w.workload(t, w.org, "editor"), "editor")

	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte("Bearer "+token), 0o600))
	for name, credentials := range map[string]credentials.PerRPCCredentials{
		"token":   auth.NewFromToken(ctx, "Bearer "+token, false),
		"file":    auth.NewFromFile(ctx, file, false),
		"context": auth.NewFromContext(ctx, false),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := auth.WithToken(deadline(t), "Bearer "+token)
			clients := got(v2.NewClients(ctx, url, "provost-tests/1", credentials))(t)
			defer clients.Close()
			groups := clients.IAM().GroupsService()
			group := got(groups.GetGroup(ctx, &iamv2.GetGroupRequest{Uid: w.org}))(t)
			same(t, "name", group.GetName(), "go sdk")
			all := got(clients.IAM().ListGroupsAll(ctx, nil))(t)
			same(t, "groups", len(all), 1)
			_, err := groups.UpdateGroup(ctx, &iamv2.UpdateGroupRequest{Group: &iamv2.Group{Uid: w.org, Name: "no"}})
			same(t, "not an owner", status.Code(err), codes.PermissionDenied)
		})
	}

	clients := got(platform.NewPlatformClients(platform.WithUserAgent(ctx, "provost-tests/1"), url, nil))(t)
	defer clients.Close()
	got(clients.Ping().Ping().Ping(ctx, &ping.PingRequest{}))(t)
}

func TestTheTokenCacheReadsOurTokens(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	w := newWorld(t)
	token := w.exchange(t, w.workload(t, w.org, "viewer"), "viewer")
	must(t, cache.Save([]byte(token), cache.KindAccess, url))
	same(t, "what is loaded", string(got(cache.Load(cache.KindAccess, url))(t)), token)
	if life := cache.RemainingLife(cache.KindAccess, url, time.Minute); life < 50*time.Minute {
		t.Errorf("the token lives %s", life)
	}
	audiences := got(cache.ListAudiences())(t)
	same(t, "audiences", len(audiences), 1)
	same(t, "audience", audiences[0], url)
}
