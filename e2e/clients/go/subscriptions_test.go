package clients

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	events "chainguard.dev/sdk/proto/platform/events/v1"
)

// As the Terraform provider does: it knows subscriptions of v1 alone.
func TestSubscriptions(t *testing.T) {
	w := newWorld(t)
	ctx := deadline(t)
	conn := w.conn(t)
	subscriptions := events.NewSubscriptionsClient(conn)
	made := got(subscriptions.Create(ctx, &events.CreateSubscriptionRequest{
		ParentId: w.org, Subscription: &events.Subscription{Sink: "https://hooks.example.com/provost"},
	}))(t)
	listed := got(subscriptions.List(ctx, &events.SubscriptionFilter{Id: made.GetId()}))(t)
	same(t, "subscriptions of that identifier", len(listed.GetItems()), 1)
	same(t, "what is listed", listed.GetItems()[0].String(), made.String())
	_, err := subscriptions.Create(ctx, &events.CreateSubscriptionRequest{
		ParentId: w.org, Subscription: &events.Subscription{Sink: "http://hooks.example.com"},
	})
	same(t, "a sink without TLS", status.Code(err), codes.InvalidArgument)
	got(subscriptions.Delete(ctx, &events.DeleteSubscriptionRequest{Id: made.GetId()}))(t)
	_, err = subscriptions.Delete(ctx, &events.DeleteSubscriptionRequest{Id: made.GetId()})
	same(t, "a deleted one", status.Code(err), codes.NotFound)
}
