package clients

import (
	neturl "net/url"
	"testing"

	"chainguard.dev/go-grpc-kit/pkg/options"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"chainguard.dev/sdk/auth"
	eventsv2 "chainguard.dev/sdk/proto/chainguard/platform/events/v2beta1"
	sdkterms "chainguard.dev/sdk/proto/chainguard/platform/iam/terms"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	registration "chainguard.dev/sdk/proto/platform/auth/v1"
	events "chainguard.dev/sdk/proto/platform/events/v1"
	old "chainguard.dev/sdk/proto/platform/iam/v1"
	"chainguard.dev/sdk/sts"
)

// The server was started with one document, which v2beta1 needs to create subscriptions.
const document = "skills-tos.v1"

func TestTermsAreAcceptedFirst(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	conn := w.conn(t)
	folder := w.group(t, w.org, "folder").GetUid()
	create := func() error {
		_, err := eventsv2.NewSubscriptionsServiceClient(conn).CreateSubscription(ctx, &eventsv2.CreateSubscriptionRequest{
			Parent: folder, Subscription: &eventsv2.Subscription{Sink: "https://hooks.example.com/provost"},
		})
		return err
	}
	err := create()
	same(t, "what was not accepted", status.Code(err), codes.FailedPrecondition)
	missing := detail[*iam.TermsNotAcceptedDetail](t, err).GetMissing()
	same(t, "missing documents", len(missing), 1)
	same(t, "its id", missing[0].GetId(), document)
	same(t, "its URL", missing[0].GetUrl(), "https://example.com/skills")

	terms := iam.NewTermsServiceClient(conn)
	_, err = terms.AcceptTerms(ctx, &iam.AcceptTermsRequest{Group: w.org, DocumentIds: []string{"unknown.v1"}})
	same(t, "a document that the server does not know", status.Code(err), codes.InvalidArgument)
	is, _ := sdkterms.IsTermsNotAccepted(iam.CheckTermsAcceptance(ctx, folder, terms, []string{document}))
	same(t, "the SDK's own check before", is, true)
	accepted := got(terms.AcceptTerms(ctx, &iam.AcceptTermsRequest{Group: w.org, DocumentIds: []string{missing[0].GetId()}}))(t)
	same(t, "the group", accepted.GetGroup(), w.org)
	must(t, create())
	must(t, iam.CheckTermsAcceptance(ctx, folder, terms, []string{document}))

	listed := got(terms.ListTermsAcceptances(ctx, &iam.ListTermsAcceptancesRequest{Group: folder}))(t)
	same(t, "acceptances of the groups above count", len(listed.GetTermsAcceptances()), 1)
	same(t, "accepted for", listed.GetTermsAcceptances()[0].GetOrgUid(), w.org)
	items := got(old.NewTermsClient(conn).ListAccepted(ctx, &old.TermsFilter{Group: folder}))(t).GetItems()
	same(t, "the same in v1", len(items), 1)
	same(t, "the same document", items[0].GetDocId(), document)
}

// user registers somebody at the development provider, and gets a token.
func user(t *testing.T, name string) string {
	t.Helper()
	target, opts := options.GRPCOptions(*got(neturl.Parse(url))(t))
	upstream := mint(t, name, nil)
	bearer := auth.NewFromToken(deadline(t), "Bearer "+upstream, false)
	conn := got(grpc.NewClient(target, append(opts, grpc.WithPerRPCCredentials(bearer))...))(t)
	t.Cleanup(func() { conn.Close() })
	got(registration.NewAuthClient(conn).Register(deadline(t), &registration.RegistrationRequest{}))(t)
	return got(sts.New(url, url).Exchange(deadline(t), upstream))(t).AccessToken
}

func TestUsersTellAboutThemselves(t *testing.T) {
	if idp == "" {
		t.Skip("the server has no development identity provider")
	}
	ctx, token := deadline(t), user(t, "go-sdk-user")
	told := got(connect(t, token).IAM().IdentitiesService().UpdateIdentityMetadata(ctx, &iam.UpdateIdentityMetadataRequest{
		IdentityMetadata: &iam.IdentityMetadata{Company: "Acme", JobTitle: "Shopkeeper"},
	}))(t)
	same(t, "company", told.GetCompany(), "Acme")
	target, opts := options.GRPCOptions(*got(neturl.Parse(url))(t))
	bearer := auth.NewFromToken(ctx, "Bearer "+token, false)
	conn := got(grpc.NewClient(target, append(opts, grpc.WithPerRPCCredentials(bearer))...))(t)
	t.Cleanup(func() { conn.Close() })
	again := got(events.NewIdentitiesClient(conn).UpdateMetadata(ctx, &events.IdentityMetadata{
		OnboardingQuestions: &events.IdentityMetadata_OnboardingQuestions{CompanyName: "Acme Stores", Providers: []string{"aws"}},
		UpdatesOptIn:        true,
	}))(t)
	same(t, "company in v1", again.GetOnboardingQuestions().GetCompanyName(), "Acme Stores")
	same(t, "job in v1", again.GetOnboardingQuestions().GetJobTitle(), "")

	w := newWorld(t)
	_, err := w.owner.IAM().IdentitiesService().UpdateIdentityMetadata(ctx, &iam.UpdateIdentityMetadataRequest{
		IdentityMetadata: &iam.IdentityMetadata{Company: "Acme"},
	})
	same(t, "a workload", status.Code(err), codes.FailedPrecondition)
}
