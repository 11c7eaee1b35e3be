package clients

import (
	"testing"

	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"chainguard.dev/sdk/proto/platform"
)

// reflected is everything that the server's reflection service tells.
type reflected struct {
	*protoregistry.Files
	services map[protoreflect.FullName]bool
}

// reflectFiles asks for all services and for the files that define them, with what these import.
func reflectFiles(t *testing.T) reflected {
	t.Helper()
	ctx := deadline(t)
	clients := got(platform.NewPlatformClients(ctx, url, nil))(t)
	defer clients.Close()
	stream := got(reflection.NewServerReflectionClient(clients.Connection()).ServerReflectionInfo(ctx))(t)
	var set descriptorpb.FileDescriptorSet
	known := map[string]bool{}
	services := map[protoreflect.FullName]bool{}

	var learn func(*reflection.ServerReflectionRequest)
	learn = func(request *reflection.ServerReflectionRequest) {
		must(t, stream.Send(request))
		for _, bytes := range got(stream.Recv())(t).GetFileDescriptorResponse().GetFileDescriptorProto() {
			file := &descriptorpb.FileDescriptorProto{}
			must(t, proto.Unmarshal(bytes, file))
			if known[file.GetName()] {
				continue
			}
			known[file.GetName()] = true
			set.File = append(set.File, file)
			for _, name := range file.GetDependency() {
				if !known[name] {
					learn(&reflection.ServerReflectionRequest{
						MessageRequest: &reflection.ServerReflectionRequest_FileByFilename{FileByFilename: name},
					})
				}
			}
		}
	}
	must(t, stream.Send(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_ListServices{ListServices: "*"},
	}))
	for _, service := range got(stream.Recv())(t).GetListServicesResponse().GetService() {
		services[protoreflect.FullName(service.GetName())] = true
		learn(&reflection.ServerReflectionRequest{
			MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service.GetName()},
		})
	}
	return reflected{got(protodesc.NewFiles(&set))(t), services}
}
