package clients

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"chainguard.dev/sdk/auth"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	registry "chainguard.dev/sdk/proto/chainguard/platform/registry/v2beta1"
	"chainguard.dev/sdk/sts"
)

// doors are the two ways to the exchange.
var doors = map[string]func(...sts.ExchangerOption) sts.Exchanger{
	"gRPC": func(options ...sts.ExchangerOption) sts.Exchanger { return sts.New(url, url, options...) },
	"HTTP1": func(options ...sts.ExchangerOption) sts.Exchanger {
		return sts.NewHTTP1DowngradeExchanger(url, url, options...)
	},
}

func TestExchange(t *testing.T) {
	w := newWorld(t)
	folder := w.group(t, w.org, "folder").GetUid()
	identity := w.workload(t, w.org, "editor")
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			ctx := deadline(t)
			as := sts.WithIdentity(identity)
			pair := got(door(as, sts.WithUserAgent("provost-tests/1")).Exchange(ctx, w.sign(t, "editor", nil)))(t)
			tellsWhoItIs(t, pair, identity)

			scoped := got(door(as).Exchange(ctx, w.sign(t, "editor", nil), sts.WithScope(folder)))(t)
			repos := connect(t, scoped.AccessToken).Registry().ReposService()
			got(repos.CreateRepo(ctx, &registry.CreateRepoRequest{Parent: folder, Repo: &registry.Repo{Name: strings.ToLower(name)}}))(t)
			_, err := repos.CreateRepo(ctx, &registry.CreateRepoRequest{Parent: w.org, Repo: &registry.Repo{Name: "outside"}})
			same(t, "outside the scope", status.Code(err), codes.PermissionDenied)

			weak := got(door(as, sts.WithCapabilities("repo.list", "groups.list")).Exchange(ctx, w.sign(t, "editor", nil)))(t)
			repos = connect(t, weak.AccessToken).Registry().ReposService()
			got(repos.ListRepos(ctx, nil))(t)
			_, err = repos.CreateRepo(ctx, &registry.CreateRepoRequest{Parent: w.org, Repo: &registry.Repo{Name: "beyond"}})
			same(t, "beyond the capabilities", status.Code(err), codes.PermissionDenied)

			refusals(t, w, identity, door)
		})
	}
}

// tellsWhoItIs reads a token as clients do.
func tellsWhoItIs(t *testing.T, pair sts.TokenPair, identity string) {
	t.Helper()
	iss, sub, err := auth.ExtractIssuerAndSubject(pair.AccessToken)
	must(t, err)
	same(t, "issuer and subject", iss+" "+sub, url+" "+identity)
	same(t, "audience", strings.Join(got(auth.ExtractAudiences(pair.AccessToken))(t), " "), url)
	same(t, "expiry", pair.Expiry.Unix(), got(auth.ExtractExpiry(pair.AccessToken))(t).Unix())
	if life := time.Until(pair.Expiry); life < 55*time.Minute || life > 61*time.Minute {
		t.Errorf("the token lives %s", life)
	}
	actor := got(auth.ExtractActor(pair.AccessToken))(t)
	same(t, "actor", *actor, auth.Actor{Audience: url, Issuer: issuer, Subject: "editor"})
	same(t, "no refresh token for workloads", pair.RefreshToken, "")
}

func refusals(t *testing.T, w *world, identity string, door func(...sts.ExchangerOption) sts.Exchanger) {
	t.Helper()
	good := w.sign(t, "editor", nil)
	other := newWorld(t).sign(t, "editor", nil)
	for _, refused := range []struct {
		what    string
		token   string
		options []sts.ExchangerOption
		code    codes.Code
		text    string
	}{
		{"another subject", w.sign(t, "viewer", nil), nil, codes.PermissionDenied, `invalid \"sub\"`},
		{"another issuer", w.sign(t, "editor", map[string]any{"iss": "https://other.example.com"}), nil, codes.PermissionDenied, `invalid \"iss\"`},
		{"another audience", w.sign(t, "editor", map[string]any{"aud": "https://other.example.com"}), nil, codes.PermissionDenied, `invalid \"aud\"`},
		// Who has proved nothing gets one answer: docs/adr/0023-one-answer-for-strangers.md.
		{"another key", other, nil, codes.PermissionDenied, `invalid \"iss\"`},
		{"too late", w.sign(t, "editor", map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), nil, codes.Unauthenticated, "expired"},
		{"no token", "nonsense", nil, codes.Unauthenticated, ""},
		{"an unknown capability", good, []sts.ExchangerOption{sts.WithCapabilities("nonsense")}, codes.InvalidArgument, "cap"},
		{"an unknown scope", good, []sts.ExchangerOption{sts.WithScope("nonsense")}, codes.InvalidArgument, "scopes"},
		{"an unknown identity", good, []sts.ExchangerOption{sts.WithIdentity(w.org + "/0123456789abcdef")}, codes.PermissionDenied, `invalid \"iss\"`},
	} {
		options := append([]sts.ExchangerOption{sts.WithIdentity(identity)}, refused.options...)
		_, err := door(options...).Exchange(deadline(t), refused.token)
		same(t, refused.what, status.Code(err), refused.code)
		// Over HTTP the text is the JSON of the answer, where quotes are escaped.
		text := strings.ReplaceAll(status.Convert(err).Message(), `\"`, `"`)
		if !strings.Contains(text, strings.ReplaceAll(refused.text, `\"`, `"`)) {
			t.Errorf("%s: %q does not say %q", refused.what, text, refused.text)
		}
	}
}

func TestExchangePicksItsDoor(t *testing.T) {
	w := newWorld(t)
	identity := sts.WithIdentity(w.workload(t, w.org, "editor"))
	for _, options := range [][]sts.ExchangerOption{{identity}, {identity, sts.WithHTTP1Downgrade()}} {
		pair := got(sts.ExchangePair(deadline(t), url, url, w.sign(t, "editor", nil), options...))(t)
		got(connect(t, pair.AccessToken).IAM().GroupsService().GetGroup(deadline(t), &iam.GetGroupRequest{Uid: w.org}))(t)
	}
}

func TestTokenSources(t *testing.T) {
	w := newWorld(t)
	identity := w.workload(t, w.org, "viewer")
	ctx := deadline(t)
	base := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: w.sign(t, "viewer", nil)})
	for _, source := range []oauth2.TokenSource{
		sts.NewContextTokenSource(ctx, base, sts.New(url, url, sts.WithIdentity(identity))),
		sts.NewTokenSourceFromValues(ctx, url, url, identity, base),
	} {
		if token := got(source.Token())(t); !token.Valid() {
			t.Errorf("the token is over at %s", token.Expiry)
		}
		request := got(http.NewRequestWithContext(ctx, http.MethodGet, url+"/iam/v2beta1/groups/"+w.org, nil))(t)
		answer := got(oauth2.NewClient(context.WithoutCancel(ctx), source).Do(request))(t)
		must(t, answer.Body.Close())
		same(t, "status", answer.StatusCode, http.StatusOK)
	}
}
