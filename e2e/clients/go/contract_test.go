package clients

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"

	published "chainguard.dev/sdk/proto/annotations"
)

// later is what the published definitions have gained since the contract was written. Nothing of it is served; every
// line is mentioned in docs/api/compatibility.md.
var later = map[protoreflect.FullName]string{
	"chainguard.capabilities.Capability":                          "CAP_ARGOS_DOCUMENTATION_READ=2615",
	"chainguard.platform.iam.ServicePrincipal":                    "SANDBOX=14",
	"chainguard.platform.iam.v2beta1.ServicePrincipal":            "SERVICE_PRINCIPAL_SANDBOX=14",
	"chainguard.platform.iam.v2.ServicePrincipal":                 "SERVICE_PRINCIPAL_SANDBOX=14",
	"chainguard.platform.registry.ChartImageBinding":              "image_repo",
	"chainguard.platform.registry.Registry":                       "ListChartImageBindings",
	"chainguard.platform.registry.v2.ReposService":                "ListCatalogImages",
	"chainguard.platform.vulnerabilities.v2.AdvisoryEvent":        "component_location_changed",
	"chainguard.platform.vulnerabilities.v2.EventTypeFilter":      "EVENT_TYPE_FILTER_COMPONENT_LOCATION_CHANGED=9",
	"chainguard.platform.vulnerabilities.v2beta1.AdvisoryEvent":   "component_location_changed",
	"chainguard.platform.vulnerabilities.v2beta1.EventTypeFilter": "EVENT_TYPE_FILTER_COMPONENT_LOCATION_CHANGED=9",
}

// TestTheContractIsTheSDKs compares what the server's reflection tells with the definitions that the SDK was made from:
// every service that both know, and every message that its methods speak of.
func TestTheContractIsTheSDKs(t *testing.T) {
	files := reflectFiles(t)
	c := comparison{T: t, seen: map[protoreflect.FullName]bool{}}
	services := 0
	for name := range files.services {
		theirs, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
		if err != nil || !strings.HasPrefix(string(name), "chainguard.") {
			continue
		}
		services++
		found := got(files.FindDescriptorByName(name))(t)
		c.service(found.(protoreflect.ServiceDescriptor), theirs.(protoreflect.ServiceDescriptor))
	}
	// So many did both know when this was written; fewer means that nothing is compared.
	if services < 45 || len(c.seen) < 600 {
		t.Errorf("only %d services with %d messages and enums were compared", services, len(c.seen))
	}
}

type comparison struct {
	*testing.T
	seen map[protoreflect.FullName]bool
}

func (c comparison) service(ours, theirs protoreflect.ServiceDescriptor) {
	compare(c, ours.FullName(), ours.Methods(), theirs.Methods())
	for i := range ours.Methods().Len() {
		method := ours.Methods().Get(i)
		other := theirs.Methods().ByName(method.Name())
		if other == nil {
			continue
		}
		what := string(method.FullName())
		same(c.T, what+": streams", method.IsStreamingClient() || method.IsStreamingServer(), other.IsStreamingClient() || other.IsStreamingServer())
		for _, option := range []*protoimpl.ExtensionInfo{annotations.E_Http, published.E_Iam, published.E_Events} {
			c.option(what, option, method.Options(), other.Options())
		}
		c.message(method.Input(), other.Input())
		c.message(method.Output(), other.Output())
	}
}

func (c comparison) option(what string, option *protoimpl.ExtensionInfo, ours, theirs proto.Message) {
	text := func(options proto.Message) string {
		if !proto.HasExtension(options, option) {
			return "none"
		}
		return strings.ReplaceAll(fmt.Sprint(proto.GetExtension(options, option)), "  ", " ")
	}
	same(c.T, what+": "+string(option.TypeDescriptor().FullName()), text(ours), text(theirs))
}

func (c comparison) message(ours, theirs protoreflect.MessageDescriptor) {
	if c.seen[ours.FullName()] {
		return
	}
	c.seen[ours.FullName()] = true
	same(c.T, "message", ours.FullName(), theirs.FullName())
	compare(c, ours.FullName(), ours.Fields(), theirs.Fields())
	for i := range ours.Fields().Len() {
		field := ours.Fields().Get(i)
		other := theirs.Fields().ByNumber(field.Number())
		if other == nil {
			continue
		}
		same(c.T, string(field.FullName()), shape(field), shape(other))
		c.option(string(field.FullName()), published.E_IamScope, field.Options(), other.Options())
		if field.Message() != nil && other.Message() != nil {
			c.message(field.Message(), other.Message())
		}
		if field.Enum() != nil && other.Enum() != nil && !c.seen[field.Enum().FullName()] {
			c.seen[field.Enum().FullName()] = true
			compare(c, field.Enum().FullName(), field.Enum().Values(), other.Enum().Values())
		}
	}
}

// shape is everything about a field that the wire or its JSON shows.
func shape(field protoreflect.FieldDescriptor) string {
	kind := field.Kind().String()
	if field.Message() != nil {
		kind = string(field.Message().FullName())
	} else if field.Enum() != nil {
		kind = string(field.Enum().FullName())
	}
	in := ""
	if oneof := field.ContainingOneof(); oneof != nil {
		in = string(oneof.Name())
	}
	return fmt.Sprint(field.Number(), field.Name(), field.JSONName(), field.Cardinality(), kind, field.HasPresence(), field.IsMap(), in)
}

// members is a list of methods, fields or values.
type members[D protoreflect.Descriptor] interface {
	Len() int
	Get(int) D
}

// compare tells which members only one side has.
func compare[D protoreflect.Descriptor](c comparison, of protoreflect.FullName, ours, theirs members[D]) {
	mine, published := names(ours), names(theirs)
	only := func(some, others []string) string {
		some = slices.DeleteFunc(slices.Clone(some), func(name string) bool { return slices.Contains(others, name) })
		return strings.Join(some, " ")
	}
	same(c.T, string(of)+" has only here", only(mine, published), "")
	same(c.T, string(of)+" has only there", only(published, mine), later[of])
}

func names[D protoreflect.Descriptor](all members[D]) []string {
	var names []string
	for i := range all.Len() {
		name := string(all.Get(i).Name())
		if value, ok := any(all.Get(i)).(interface {
			Number() protoreflect.EnumNumber
		}); ok {
			name += fmt.Sprint("=", value.Number())
		}
		names = append(names, name)
	}
	return names
}
