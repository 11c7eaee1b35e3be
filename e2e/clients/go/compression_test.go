package clients

import (
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"chainguard.dev/sdk/auth"
	api "chainguard.dev/sdk/proto/chainguard/platform/clients/v2beta1"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
)

func TestRequestsMayBePacked(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	packed := grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name))
	clients := got(api.NewClients(ctx, url, "provost-tests/1", auth.NewFromToken(ctx, "Bearer "+operator, false), packed))(t)
	defer clients.Close()
	groups := clients.IAM().GroupsService()
	create := func(description string) error {
		_, err := groups.CreateGroup(ctx, &iam.CreateGroupRequest{
			Parent: w.org,
			Group:  &iam.Group{Name: "packed", Description: description},
		})
		return err
	}
	must(t, create(strings.Repeat("a", 500)))
	err := create(strings.Repeat("a", 32<<20))
	same(t, "what unpacks to too much", status.Code(err), codes.InvalidArgument)
	if !strings.Contains(status.Convert(err).Message(), "larger than") {
		t.Errorf("message: %v", err)
	}
}
