package clients

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	sdk "chainguard.dev/sdk/auth/aws"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	"chainguard.dev/sdk/sts"
)

// principal has the credentials of the one role that the stand-in for AWS knows.
var principal = aws.Credentials{AccessKeyID: "ASIAEXAMPLE", SecretAccessKey: "secret", SessionToken: "session/token+=="}

const role = "arn:aws:sts::123456789012:assumed-role/build/i-0123"

// standIn answers as AWS does, where the server asks: it signs again what it was sent, with AWS's own library, and compares.
func standIn(t *testing.T) {
	t.Helper()
	listener := got(net.Listen("tcp", os.Getenv("PROVOST_TEST_AWS")))(t)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !isSigned(r) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"Error":{"Code":"SignatureDoesNotMatch","Message":"","Type":"Sender"}}`)
			return
		}
		result := map[string]string{"Account": "123456789012", "Arn": role, "UserId": "AROAEXAMPLE:i-0123"}
		_ = json.NewEncoder(w).Encode(map[string]any{"GetCallerIdentityResponse": map[string]any{"GetCallerIdentityResult": result}})
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
}

// isSigned says whether the request carries the signature that AWS's library makes of it with the credentials.
func isSigned(r *http.Request) bool {
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || r.Header.Get("X-Amz-Security-Token") != principal.SessionToken {
		return false
	}
	again, err := http.NewRequestWithContext(r.Context(), r.Method, "https://"+r.Host+r.URL.RequestURI(), nil)
	if err != nil {
		return false
	}
	authorization := r.Header.Get("Authorization")
	_, names, _ := strings.Cut(authorization, "SignedHeaders=")
	names, _, _ = strings.Cut(names, ",")
	for _, name := range strings.Split(names, ";") {
		if name != "host" && name != "x-amz-date" && name != "x-amz-security-token" {
			again.Header.Set(name, r.Header.Get(name))
		}
	}
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	err = v4.NewSigner().SignHTTP(r.Context(), principal, again, empty, "sts", "us-east-1", at)
	return err == nil && again.Header.Get("Authorization") == authorization
}

func TestAWS(t *testing.T) {
	if os.Getenv("PROVOST_TEST_AWS") == "" {
		t.Skip("the server asks no stand-in for AWS")
	}
	standIn(t)
	w := newWorld(t)
	identity := got(w.owner.IAM().IdentitiesService().CreateIdentity(deadline(t), &iam.CreateIdentityRequest{
		Parent: w.org,
		Identity: &iam.Identity{Name: "instance", Relationship: &iam.Identity_AwsIdentity{AwsIdentity: &iam.Identity_AWSIdentity{
			AwsAccount: "123456789012",
			AwsArn:     &iam.Identity_AWSIdentity_ArnPattern{ArnPattern: "^arn:aws:sts::123456789012:assumed-role/build/.*$"},
			AwsUserId:  &iam.Identity_AWSIdentity_UserIdPattern{UserIdPattern: "^AROAEXAMPLE:.*$"},
		}}},
	}))(t).GetUid()
	got(w.bind(t, w.org, identity, w.roles["viewer"]))(t)
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			ctx := deadline(t)
			token := got(sdk.GenerateToken(ctx, principal, url, identity))(t)
			pair := got(door(sts.WithIdentity(identity)).Exchange(ctx, token))(t)
			got(connect(t, pair.AccessToken).IAM().GroupsService().GetGroup(ctx, &iam.GetGroupRequest{Uid: w.org}))(t)

			forged := principal
			forged.SecretAccessKey = "guessed"
			for what, refused := range map[string]struct {
				token string
				code  codes.Code
			}{
				"another secret":   {got(sdk.GenerateToken(ctx, forged, url, identity))(t), codes.PermissionDenied},
				"another audience": {got(sdk.GenerateToken(ctx, principal, "https://issuer.example.com", identity))(t), codes.PermissionDenied},
				"another identity": {got(sdk.GenerateToken(ctx, principal, url, w.org+"/0123456789abcdef"))(t), codes.PermissionDenied},
			} {
				_, err := door(sts.WithIdentity(identity)).Exchange(ctx, refused.token)
				same(t, what, status.Code(err), refused.code)
			}
		})
	}
}
