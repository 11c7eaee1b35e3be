package clients

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"chainguard.dev/sdk/auth"
	cache "chainguard.dev/sdk/auth/token"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	"chainguard.dev/sdk/sts"
)

// TestSessions logs the owner of the development organization in, and goes on by refresh tokens alone.
func TestSessions(t *testing.T) {
	if idp == "" {
		t.Skip("the server has no development identity provider")
	}
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			ctx := deadline(t)
			first := got(door().Exchange(ctx, mint(t, "admin", nil)))(t)
			if life := time.Until(got(auth.ExtractRefreshExpiry(first.RefreshToken))(t)); life < 6*24*time.Hour || life > 8*24*time.Hour {
				t.Errorf("the refresh token lives %s", life)
			}

			// As the provider does when it has made an organization.
			groups := connect(t, first.AccessToken).IAM().GroupsService()
			made := got(groups.CreateGroup(ctx, &iam.CreateGroupRequest{Group: &iam.Group{Name: "of a session"}}))(t)
			access, refresh, err := door().Refresh(ctx, first.RefreshToken)
			must(t, err)
			got(connect(t, access).IAM().GroupsService().GetGroup(ctx, &iam.GetGroupRequest{Uid: made.GetUid()}))(t)
			must(t, cache.Save([]byte(refresh), cache.KindRefresh, url))
			if life := cache.RemainingLife(cache.KindRefresh, url, time.Minute); life < 6*24*time.Hour {
				t.Errorf("the cache says that it lives %s", life)
			}

			_, again, err := door().Refresh(ctx, first.RefreshToken)
			must(t, err)
			same(t, "the answer to a repeat", again, refresh)
			narrow, next, err := door(sts.WithCapabilities("groups.list")).Refresh(ctx, refresh)
			must(t, err)
			_, err = connect(t, narrow).IAM().GroupsService().CreateGroup(ctx, &iam.CreateGroupRequest{
				Parent: made.GetUid(), Group: &iam.Group{Name: "beyond"},
			})
			same(t, "beyond the capabilities", status.Code(err), codes.PermissionDenied)
			_, _, err = door().Refresh(ctx, first.RefreshToken)
			same(t, "a token that was used", status.Code(err), codes.Unauthenticated)
			_, _, err = door().Refresh(ctx, next)
			same(t, "its session", status.Code(err), codes.Unauthenticated)
			_, _, err = door().Refresh(ctx, "nonsense")
			same(t, "nonsense", status.Code(err), codes.Unauthenticated)
		})
	}
}
