package clients

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	"chainguard.dev/sdk/sts"
)

// mint gets a token of the development identity provider, which the server fetches keys from as from any other.
func mint(t *testing.T, subject string, claims map[string]any) string {
	t.Helper()
	wish := got(json.Marshal(map[string]any{"sub": subject, "aud": url, "claims": claims}))(t)
	answer := got(http.Post(idp+"/mint", "application/json", bytes.NewReader(wish)))(t)
	defer answer.Body.Close()
	var minted struct{ Token string }
	must(t, json.NewDecoder(answer.Body).Decode(&minted))
	return minted.Token
}

func TestClaimsOfAnIssuerThatIsFetched(t *testing.T) {
	if idp == "" {
		t.Skip("the server has no development identity provider")
	}
	w := newWorld(t)
	identity := got(w.owner.IAM().IdentitiesService().CreateIdentity(deadline(t), &iam.CreateIdentityRequest{
		Parent: w.org,
		Identity: &iam.Identity{Name: "ci", Relationship: &iam.Identity_ClaimMatch_{ClaimMatch: &iam.Identity_ClaimMatch{
			Iss:           &iam.Identity_ClaimMatch_Issuer{Issuer: idp},
			Sub:           &iam.Identity_ClaimMatch_SubjectPattern{SubjectPattern: "repo:acme/.*"},
			Claims:        map[string]string{"repository_owner": "acme"},
			ClaimPatterns: map[string]string{"ref": "refs/heads/(main|release-[0-9]+)"},
		}}},
	}))(t)
	claims := func(owner, ref string) map[string]any { return map[string]any{"repository_owner": owner, "ref": ref} }
	for _, attempt := range []struct {
		subject string
		claims  map[string]any
		want    codes.Code
	}{
		{"repo:acme/app", claims("acme", "refs/heads/main"), codes.OK},
		{"repo:acme/app", claims("acme", "refs/heads/release-2"), codes.OK},
		{"repo:other/app", claims("acme", "refs/heads/main"), codes.PermissionDenied},
		{"repo:acme/app", claims("other", "refs/heads/main"), codes.PermissionDenied},
		{"repo:acme/app", claims("acme", "refs/heads/main-2"), codes.PermissionDenied},
		{"repo:acme/app", nil, codes.PermissionDenied},
	} {
		for name, door := range doors {
			token := mint(t, attempt.subject, attempt.claims)
			_, err := door(sts.WithIdentity(identity.GetUid())).Exchange(deadline(t), token)
			if status.Code(err) != attempt.want {
				t.Errorf("%s: %s with %v: %v", name, attempt.subject, attempt.claims, err)
			}
		}
	}
}
