//! `grpc.reflection.v1.ServerReflection`: the definitions of every service, options and extensions included.
//!
//! The older `v1alpha` has the same messages under another name, so its requests are answered here too.

use std::{collections::HashMap, sync::Arc};

use futures::{StreamExt as _, stream::BoxStream};
use prost_reflect::{DescriptorError, DescriptorPool, FileDescriptor};
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_reflection::pb::{
    v1::{
        self, ErrorResponse, ExtensionNumberResponse, FileDescriptorResponse, ListServiceResponse, ServerReflectionRequest,
        ServerReflectionResponse, ServiceResponse, server_reflection_request::MessageRequest as Question,
        server_reflection_response::MessageResponse as Answer, server_reflection_server::ServerReflection,
    },
    v1alpha,
};

/// Answers from the definitions of all services of the port.
#[derive(Clone)]
pub(super) struct ReflectionService(Arc<Definitions>);

struct Definitions {
    pool: DescriptorPool,
    /// The file that defines a service, method, message, field, oneof, enum, value or extension, by its full name.
    files: HashMap<String, FileDescriptor>,
}

impl ReflectionService {
    /// The contract, health, and reflection itself.
    pub(super) fn new() -> Result<Self, DescriptorError> {
        let mut pool = DescriptorPool::decode(contract::descriptors())?;
        for more in [tonic_health::pb::FILE_DESCRIPTOR_SET, v1::FILE_DESCRIPTOR_SET, v1alpha::FILE_DESCRIPTOR_SET] {
            pool.decode_file_descriptor_set(more)?;
        }
        let files = by_symbol(&pool);
        Ok(Self(Arc::new(Definitions { pool, files })))
    }
}

fn by_symbol(pool: &DescriptorPool) -> HashMap<String, FileDescriptor> {
    let mut files = HashMap::new();
    let mut add = |name: &str, file: FileDescriptor| files.insert(name.to_owned(), file);
    for service in pool.services() {
        add(service.full_name(), service.parent_file());
        service.methods().for_each(|method| _ = add(method.full_name(), service.parent_file()));
    }
    for message in pool.all_messages() {
        add(message.full_name(), message.parent_file());
        message.fields().for_each(|field| _ = add(field.full_name(), message.parent_file()));
        message.oneofs().for_each(|oneof| _ = add(oneof.full_name(), message.parent_file()));
    }
    for kind in pool.all_enums() {
        add(kind.full_name(), kind.parent_file());
        kind.values().for_each(|value| _ = add(value.full_name(), kind.parent_file()));
    }
    pool.all_extensions().for_each(|extension| _ = add(extension.full_name(), extension.parent_file()));
    files
}

impl Definitions {
    fn answer(&self, question: &Question) -> Option<Answer> {
        Some(match question {
            Question::FileByFilename(name) => file(&self.pool.get_file_by_name(name)?),
            Question::FileContainingSymbol(name) => file(self.files.get(name.trim_start_matches('.'))?),
            Question::FileContainingExtension(wanted) => {
                let extended = self.pool.get_message_by_name(&wanted.containing_type)?;
                file(&extended.get_extension(wanted.extension_number.try_into().ok()?)?.parent_file())
            }
            Question::AllExtensionNumbersOfType(name) => {
                let extended = self.pool.get_message_by_name(name)?;
                let numbers = extended.extensions().filter_map(|extension| extension.number().try_into().ok()).collect();
                let base_type_name = name.clone();
                Answer::AllExtensionNumbersResponse(ExtensionNumberResponse { base_type_name, extension_number: numbers })
            }
            Question::ListServices(_) => {
                let service = self.pool.services().map(|service| ServiceResponse { name: service.full_name().to_owned() });
                Answer::ListServicesResponse(ListServiceResponse { service: service.collect() })
            }
        })
    }
}

fn file(file: &FileDescriptor) -> Answer {
    Answer::FileDescriptorResponse(FileDescriptorResponse { file_descriptor_proto: vec![file.encode_to_vec()] })
}

/// What is answered when nothing has that name, or when nothing was asked. The stream goes on.
fn no_answer(question: Option<&Question>) -> Answer {
    let (code, message) = match question {
        Some(_) => (Code::NotFound, "nothing of that name is defined here"),
        None => (Code::InvalidArgument, "the request asks for nothing"),
    };
    Answer::ErrorResponse(ErrorResponse { error_code: code.into(), error_message: message.to_owned() })
}

#[tonic::async_trait]
impl ServerReflection for ReflectionService {
    type ServerReflectionInfoStream = BoxStream<'static, Result<ServerReflectionResponse, Status>>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        let definitions = Arc::clone(&self.0);
        let answers = request.into_inner().map(move |asked| {
            let asked = asked?;
            let question = asked.message_request.as_ref();
            let answer = question.and_then(|question| definitions.answer(question)).unwrap_or_else(|| no_answer(question));
            Ok(ServerReflectionResponse {
                valid_host: asked.host.clone(),
                message_response: Some(answer),
                original_request: Some(asked),
            })
        });
        Ok(Response::new(answers.boxed()))
    }
}
