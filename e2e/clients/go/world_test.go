package clients

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"maps"
	neturl "net/url"
	"testing"
	"time"

	"chainguard.dev/go-grpc-kit/pkg/options"
	"github.com/go-jose/go-jose/v4"
	"google.golang.org/grpc"

	"chainguard.dev/sdk/auth"
	api "chainguard.dev/sdk/proto/chainguard/platform/clients/v2beta1"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	"chainguard.dev/sdk/sts"
	"chainguard.dev/sdk/uidp"
)

// issuer signs the upstream tokens. Nothing answers there: its keys are pasted into identities.
const issuer = "https://ci.internal.example.com"

// world is an organization of a test's own, with an owner.
type world struct {
	org   string
	owner api.Clients
	key   *ecdsa.PrivateKey
	roles map[string]string
}

// newWorld lets an operator make the organization, and a workload that owns it.
func newWorld(t *testing.T) *world {
	t.Helper()
	key := got(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	w := &world{owner: connect(t, operator), key: key, roles: map[string]string{}}
	for role, err := range w.owner.IAM().ListRolesIter(deadline(t), nil) {
		must(t, err)
		if uidp.InRoot(role.GetUid()) {
			w.roles[role.GetName()] = role.GetUid()
		}
	}
	w.org = w.group(t, "", "go sdk").GetUid()
	w.owner = connect(t, w.exchange(t, w.workload(t, w.org, "owner"), "owner"))
	return w
}

// group makes a group with what its caller is.
func (w *world) group(t *testing.T, parent, name string) *iam.Group {
	t.Helper()
	request := &iam.CreateGroupRequest{Parent: parent, Group: &iam.Group{Name: name}}
	return got(w.owner.IAM().GroupsService().CreateGroup(deadline(t), request))(t)
}

// keys is the relationship of who brings a token that the world signed for subject.
func (w *world) keys(t *testing.T, subject string) *iam.Identity_StaticKeys_ {
	t.Helper()
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: w.key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}}
	text := got(json.Marshal(set))(t)
	return &iam.Identity_StaticKeys_{
		StaticKeys: &iam.Identity_StaticKeys{Issuer: issuer, Subject: subject, IssuerKeys: string(text)},
	}
}

// workload makes an identity in a group, proven by its role's name as subject, and binds it to that built-in role there.
func (w *world) workload(t *testing.T, parent, role string) string {
	t.Helper()
	identity := got(w.owner.IAM().IdentitiesService().CreateIdentity(deadline(t), &iam.CreateIdentityRequest{
		Parent:   parent,
		Identity: &iam.Identity{Name: role, Relationship: w.keys(t, role)},
	}))(t)
	got(w.bind(t, parent, identity.GetUid(), w.roles[role]))(t)
	return identity.GetUid()
}

func (w *world) bind(t *testing.T, parent, identity, role string) (*iam.RoleBinding, error) {
	t.Helper()
	return w.owner.IAM().RoleBindingsService().CreateRoleBinding(deadline(t), &iam.CreateRoleBindingRequest{
		Parent:      parent,
		RoleBinding: &iam.RoleBinding{IdentityUid: identity, RoleUid: role},
	})
}

// sign makes an upstream token; claims take the place of the usual ones.
func (w *world) sign(t *testing.T, subject string, claims map[string]any) string {
	t.Helper()
	all := map[string]any{
		"iss": issuer, "sub": subject, "aud": url, "iat": time.Now().Unix(), "exp": time.Now().Add(10 * time.Minute).Unix(),
	}
	maps.Copy(all, claims)
	signer := got(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: w.key, KeyID: "1"}}, nil))(t)
	signed := got(signer.Sign(got(json.Marshal(all))(t)))(t)
	return got(signed.CompactSerialize())(t)
}

// exchange gets a workload's token from the server.
func (w *world) exchange(t *testing.T, identity, subject string) string {
	t.Helper()
	pair := got(sts.New(url, url, sts.WithIdentity(identity)).Exchange(deadline(t), w.sign(t, subject, nil)))(t)
	return pair.AccessToken
}

// conn connects as an owner of the organization, as the SDK does: for services of v1, of which its clients do not have all.
func (w *world) conn(t *testing.T) *grpc.ClientConn {
	t.Helper()
	owner := auth.NewFromToken(deadline(t), "Bearer "+w.exchange(t, w.workload(t, w.org, "owner"), "owner"), false)
	target, opts := options.GRPCOptions(*got(neturl.Parse(url))(t))
	conn := got(grpc.NewClient(target, append(opts, grpc.WithPerRPCCredentials(owner))...))(t)
	t.Cleanup(func() { conn.Close() })
	return conn
}
