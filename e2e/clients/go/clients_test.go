package clients

import (
	"context"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"chainguard.dev/sdk/auth"
	newest "chainguard.dev/sdk/proto/chainguard/platform/clients/v2"
	api "chainguard.dev/sdk/proto/chainguard/platform/clients/v2beta1"
	eventsv2 "chainguard.dev/sdk/proto/chainguard/platform/events/v2beta1"
	pingv2 "chainguard.dev/sdk/proto/chainguard/platform/ping/v2beta1"
	platform "chainguard.dev/sdk/proto/platform"
	registration "chainguard.dev/sdk/proto/platform/auth/v1"
	oidc "chainguard.dev/sdk/proto/platform/oidc/v1"
)

// served is what the documents say of each method: whether the server has it.
func served(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for line := range strings.Lines(string(got(os.ReadFile("../../../docs/api/methods.txt"))(t))) {
		if words := strings.Fields(line); len(words) > 2 {
			all["/"+words[0]] = words[len(words)-1] == "implemented"
		}
	}
	return all
}

// calls remembers which methods were called, and what the server said.
type calls struct {
	sync.Mutex
	answers map[string]codes.Code
}

func (c *calls) intercept(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	c.Lock()
	defer c.Unlock()
	c.answers[method] = status.Code(err)
	return err
}

// TestEveryMethodOfEveryClientIsAnswered calls each method of all clients that the SDK has, with an empty request: what the documents
// say is there is there, whatever it thinks of the request, and nothing else is.
func TestEveryMethodOfEveryClientIsAnswered(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	// Who owns nothing: what an empty request means to it does no harm.
	identity := w.workload(t, w.group(t, w.org, "harmless").GetUid(), "viewer")
	cred := auth.NewFromToken(ctx, "Bearer "+w.exchange(t, identity, "viewer"), false)
	said := &calls{answers: map[string]codes.Code{}}
	listen := grpc.WithUnaryInterceptor(said.intercept)

	v1 := got(platform.NewPlatformClients(ctx, url, cred, listen))(t)
	defer v1.Close()
	v2beta1 := got(api.NewClients(ctx, url, "provost-tests/1", cred, listen))(t)
	defer v2beta1.Close()
	v2 := got(newest.NewClients(ctx, url, "provost-tests/1", cred, listen))(t)
	defer v2.Close()
	conn := v1.Connection()
	for _, client := range []any{
		v1.IAM(), v1.Registry(), v1.Ping(), v1.Advisory(), v1.Vulnerabilities(), v2beta1, v2,
		registration.NewAuthClient(conn), oidc.NewClientsFromConnection(conn), eventsv2.NewSubscriptionsServiceClient(conn),
		pingv2.NewPingServiceClient(conn),
	} {
		callAll(t, reflect.ValueOf(client))
	}

	all := served(t)
	for method, code := range said.answers {
		// The newest version has other names for the same.
		known := strings.Replace(method, ".v2.", ".v2beta1.", 1)
		if there := all[known]; there == (code == codes.Unimplemented) {
			t.Errorf("%s answers %v, and %v is what methods.txt says of its being there", method, code, there)
		}
	}
	var missed []string
	for method, there := range all {
		if _, called := said.answers[method]; there && !called && strings.HasPrefix(method, "/chainguard.") {
			missed = append(missed, method)
		}
	}
	slices.Sort(missed)
	same(t, "methods that no client was asked for", strings.Join(missed, " "), "")
	if len(said.answers) < 250 {
		t.Errorf("only %d methods were called", len(said.answers))
	}
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// callAll calls every method of a client that takes a context and a request, and those of the clients that it has.
func callAll(t *testing.T, client reflect.Value) {
	t.Helper()
	for i := range client.NumMethod() {
		method, kind := client.Method(i), client.Type().Method(i)
		shape := method.Type()
		switch {
		case shape.NumIn() == 0 && shape.NumOut() == 1 && shape.Out(0).Kind() == reflect.Interface && shape.Out(0) != errorType:
			callAll(t, method.Call(nil)[0].Elem())
		case shape.IsVariadic() && shape.NumIn() == 3 && shape.In(0) == contextType && shape.NumOut() == 2:
			request := reflect.New(shape.In(1).Elem())
			method.Call([]reflect.Value{reflect.ValueOf(deadline(t)), request})
		case strings.HasSuffix(kind.Name, "All") && shape.NumIn() == 2 && shape.In(0) == contextType:
			request := reflect.New(shape.In(1).Elem())
			method.Call([]reflect.Value{reflect.ValueOf(deadline(t)), request})
		}
	}
}
