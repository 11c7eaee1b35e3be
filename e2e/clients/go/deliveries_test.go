package clients

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdkevents "chainguard.dev/sdk/events"
	"chainguard.dev/sdk/events/receiver"
	iam "chainguard.dev/sdk/proto/chainguard/platform/iam/v2beta1"
	oldevents "chainguard.dev/sdk/proto/platform/events/v1"
	oldiam "chainguard.dev/sdk/proto/platform/iam/v1"
	cloudevents "github.com/cloudevents/sdk-go/v2"
	"google.golang.org/protobuf/proto"
)

// What the SDK's own receiver lets through arrives at this test, and every body is the message that its type names.
func TestDeliveries(t *testing.T) {
	if idp == "" {
		t.Skip("outside development mode sinks are https")
	}
	w := newWorld(t)
	ctx := deadline(t)
	arrived := make(chan cloudevents.Event, 100)
	handler := got(receiver.NewHTTPHandler(ctx, url, w.org, func(_ context.Context, event cloudevents.Event) error {
		arrived <- event
		return nil
	}))(t)
	sink := httptest.NewServer(handler)
	t.Cleanup(sink.Close)
	conn := w.conn(t)
	subscriptions := oldevents.NewSubscriptionsClient(conn)
	made := got(subscriptions.Create(ctx, &oldevents.CreateSubscriptionRequest{
		ParentId: w.org, Subscription: &oldevents.Subscription{Sink: sink.URL},
	}))(t)
	next := func(kind string) cloudevents.Event {
		t.Helper()
		select {
		case event := <-arrived:
			same(t, "the type", event.Type(), kind)
			same(t, "the subscription", event.Extensions()[sdkevents.DeliverySubscriptionKey].(string), made.GetId())
			same(t, "the delivery", event.Extensions()[sdkevents.DeliveryTypeKey].(string), sdkevents.DeliveryTypeWebhook)
			same(t, "the audience", event.Extensions()[sdkevents.AudienceKey].(string), sdkevents.AudienceCustomer)
			must(t, event.Validate())
			return event
		case <-time.After(30 * time.Second):
			t.Fatalf("%s does not come", kind)
		}
		panic("unreachable")
	}

	group := w.group(t, w.org, "told")
	event := next("dev.chainguard.api.iam.group.created.v1")
	body := got(sdkevents.BodyAs[*iam.Group](event))(t)
	same(t, "the group", proto.Equal(body, group), true)
	same(t, "its group", event.Extensions()[sdkevents.GroupKey].(string), group.GetUid())
	occurrence := got(sdkevents.Decode(event))(t)
	same(t, "whether somebody did it", occurrence.Actor.Subject != "", true)
	same(t, "by which issuer", occurrence.Actor.Actor["iss"], issuer)

	old := oldiam.NewGroupsClient(conn)
	before := got(old.Create(ctx, &oldiam.CreateGroupRequest{Parent: w.org, Group: &oldiam.Group{Name: "old"}}))(t)
	event = next("dev.chainguard.api.iam.group.created.v1")
	same(t, "the old group", proto.Equal(got(sdkevents.BodyAs[*oldiam.Group](event))(t), before), true)

	got(w.owner.IAM().GroupsService().DeleteGroup(ctx, &iam.DeleteGroupRequest{Uid: group.GetUid()}))(t)
	for {
		event = <-arrived
		if event.Type() == "dev.chainguard.api.iam.group.deleted.v1" {
			break
		}
		got(sdkevents.Body(event))(t)
	}
	gone := got(sdkevents.BodyAs[*iam.DeleteGroupRequest](event))(t)
	same(t, "what went", gone.GetUid(), group.GetUid())

	// The first version's deletion of a subscription has no body; the receiver takes it all the same.
	other := got(subscriptions.Create(ctx, &oldevents.CreateSubscriptionRequest{
		ParentId: w.org, Subscription: &oldevents.Subscription{Sink: "https://hooks.example.com/other"},
	}))(t)
	event = next("dev.chainguard.api.events.subscription.created.v1")
	same(t, "the other one", got(sdkevents.BodyAs[*oldevents.Subscription](event))(t).GetId(), other.GetId())
	got(subscriptions.Delete(ctx, &oldevents.DeleteSubscriptionRequest{Id: other.GetId()}))(t)
	event = next("dev.chainguard.api.events.subscription.deleted.v1")
	if _, err := sdkevents.Body(event); !errors.Is(err, sdkevents.ErrNoBodyType) && err == nil {
		t.Errorf("the deletion of a subscription by v1 has a body: %s", event.Data())
	}

	// A receiver of another group does not let it through.
	elsewhere := got(receiver.NewHTTPHandler(ctx, url, group.GetUid(), func(context.Context, cloudevents.Event) error { return nil }))(t)
	status := make(chan int, 100)
	refusing := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, request *http.Request) {
		recorder := httptest.NewRecorder()
		elsewhere.ServeHTTP(recorder, request)
		status <- recorder.Code
		out.WriteHeader(recorder.Code)
	}))
	t.Cleanup(refusing.Close)
	got(subscriptions.Create(ctx, &oldevents.CreateSubscriptionRequest{
		ParentId: w.org, Subscription: &oldevents.Subscription{Sink: refusing.URL},
	}))(t)
	w.group(t, w.org, "refused")
	same(t, "what a receiver of another group says", <-status, http.StatusForbidden)
}
