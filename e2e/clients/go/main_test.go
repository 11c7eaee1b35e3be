package clients

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"chainguard.dev/sdk/auth"
	api "chainguard.dev/sdk/proto/chainguard/platform/clients/v2beta1"
)

// The server under test.
var (
	url      = os.Getenv("PROVOST_TEST_API")
	operator = os.Getenv("PROVOST_TEST_OPERATOR")
	idp      = os.Getenv("PROVOST_TEST_IDP")
)

func TestMain(m *testing.M) {
	if url == "" || operator == "" {
		fmt.Fprintln(os.Stderr, "no server: run these tests by e2e/clients/run go-sdk")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// deadline bounds every call of a test: the SDK waits for a server that does not answer.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// connect makes the v2beta1 clients of somebody with a token.
func connect(t *testing.T, token string) api.Clients {
	t.Helper()
	ctx := deadline(t)
	clients, err := api.NewClients(ctx, url, "provost-tests/1", auth.NewFromToken(ctx, "Bearer "+token, false))
	must(t, err)
	t.Cleanup(func() { _ = clients.Close() })
	return clients
}

// must ends the test when what it needs went wrong.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got is must for a value.
func got[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return value
	}
}

// same says what differs.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
