package clients

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	old "chainguard.dev/sdk/proto/platform/iam/v1"
)

func TestScimTokens(t *testing.T) {
	w := newWorld(t)
	ctx, provider := deadline(t), w.provider(t)
	providers := w.owner.IAM().IdentityProvidersService()
	generate := &iam.GenerateScimTokenRequest{
		IdentityProviderUid: provider, ExpireTime: timestamppb.New(time.Now().Add(time.Hour)),
	}
	first := got(providers.GenerateScimToken(ctx, generate))(t)
	same(t, "the form of a token", strings.HasPrefix(first.GetToken(), "cgscim_") && len(first.GetToken()) == 71, true)
	same(t, "where it is for", first.GetEndpointUrl(), url+"/scim/v2/"+provider)
	_, err := providers.GenerateScimToken(ctx, generate)
	same(t, "a second one", status.Code(err), codes.FailedPrecondition)
	_, err = providers.RegenerateScimToken(ctx, &iam.RegenerateScimTokenRequest{IdentityProviderUid: provider, Etag: "0"})
	same(t, "of another version", status.Code(err), codes.Aborted)
	second := got(providers.RegenerateScimToken(ctx, &iam.RegenerateScimTokenRequest{
		IdentityProviderUid: provider, Etag: first.GetEtag(), Overlap: durationpb.New(time.Minute), NeverExpires: true,
	}))(t)
	same(t, "its overlap", second.GetRequestedOverlap().AsDuration(), time.Minute)
	scim := func() *iam.IdentityProvider_SCIM {
		return got(providers.GetIdentityProvider(ctx, &iam.GetIdentityProviderRequest{Uid: provider}))(t).GetScim()
	}
	same(t, "while both work", scim().GetCredentialState(), iam.IdentityProvider_SCIM_CREDENTIAL_STATE_ROTATING)

	enable := func(enabled bool) (*iam.SetScimEnabledResponse, error) {
		return providers.SetScimEnabled(ctx, &iam.SetScimEnabledRequest{
			IdentityProviderUid: provider, Enabled: enabled, Etag: scim().GetEtag(),
		})
	}
	_, err = enable(true)
	same(t, "with one owner", status.Code(err), codes.FailedPrecondition)
	w.workload(t, w.org, "owner")
	same(t, "with two", got(enable(true))(t).GetEnabled(), true)
	revoked := got(providers.RevokeScimToken(ctx, &iam.RevokeScimTokenRequest{IdentityProviderUid: provider}))(t)
	same(t, "revoked and enabled", revoked.GetEnabled(), true)
	same(t, "disabled", got(enable(false))(t).GetEnabled(), false)
	same(t, "after that", scim().GetCredentialState(), iam.IdentityProvider_SCIM_CREDENTIAL_STATE_REVOKED)
}

func TestScimTokensOfV1(t *testing.T) {
	w := newWorld(t)
	ctx, provider := deadline(t), w.provider(t)
	providers := old.NewIdentityProvidersClient(w.conn(t))
	first := got(providers.GenerateScimToken(ctx, &old.GenerateScimTokenRequest{IdentityProviderId: provider}))(t)
	second := got(providers.RegenerateScimToken(ctx, &old.RegenerateScimTokenRequest{
		IdentityProviderId: provider, Etag: first.GetEtag(), Overlap: durationpb.New(0),
	}))(t)
	same(t, "another token", second.GetToken() != first.GetToken(), true)
	same(t, "when the old one ends", second.GetPreviousTokenExpireTime() == nil, true)
	// The connection has an owner of its own beside that of the world.
	on := got(providers.SetScimEnabled(ctx, &old.SetScimEnabledRequest{
		IdentityProviderId: provider, Enabled: true, Etag: second.GetEtag(),
	}))(t)
	same(t, "enabled", on.GetEnabled(), true)
	revoked := got(providers.RevokeScimToken(ctx, &old.RevokeScimTokenRequest{IdentityProviderId: provider}))(t)
	same(t, "revoked and enabled", revoked.GetEnabled(), true)
	_, err := providers.SetScimEnabled(ctx, &old.SetScimEnabledRequest{IdentityProviderId: provider, Etag: on.GetEtag()})
	same(t, "of a version that was", status.Code(err), codes.Aborted)
}
