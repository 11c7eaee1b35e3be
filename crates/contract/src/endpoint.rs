//! Ties a handler to an RPC, with the message types erased so that one pipeline can serve all of them.

use std::{fmt, future::Future, marker::PhantomData, pin::Pin, sync::Arc};

use bytes::Bytes;
use prost::{DecodeError, Message as _};

use crate::{
    Message, Method, Rpc,
    bounds::{self, Counted, Undecodable},
};

/// A future whose type is erased.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// An RPC with its handler. `C` is what a handler gets beside the request, `E` how it fails.
pub struct Endpoint<C, E> {
    /// What the contract says about the RPC.
    pub method: &'static Method,
    decode: Arc<dyn Decode<C, E>>,
}

impl<C, E> Endpoint<C, E>
where
    C: Send + 'static,
    E: Send + 'static,
{
    /// An endpoint that answers the RPC `R` with `handler`.
    ///
    /// The handler answers with the response message or, when there is more to say, with a [`Reply`].
    #[must_use]
    pub fn new<R, F, Fut, A>(handler: F) -> Self
    where
        R: Rpc,
        F: Fn(C, R::Request) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Reply<R::Response>>,
    {
        let handler = move |context, request| -> BoxFuture<'static, Result<Answer, E>> {
            let answer = handler(context, request);
            Box::pin(async move { Ok(Answer::new(answer.await?.into())) })
        };
        Self { method: R::METHOD, decode: Arc::new(Handler::<R, _>(handler, PhantomData)) }
    }

    /// Counts what a request in binary form would make, which comes before anything is built of it.
    ///
    /// # Errors
    /// When a list or map has too many elements. What is not well-formed may pass.
    pub fn count(&self, wire: Bytes) -> Result<Counted, Undecodable> {
        bounds::check(self.method.shape, wire)
    }

    /// A call of this RPC with the request of which the elements were counted.
    ///
    /// # Errors
    /// When the bytes are not a message of the request's type.
    pub fn decode(&self, request: Counted) -> Result<Box<dyn Call<C, E> + '_>, DecodeError> {
        self.decode.decode(request.wire)
    }

    /// An answer of this RPC that was kept in binary form.
    ///
    /// # Errors
    /// When the bytes are not a message of the response's type.
    pub fn answer(&self, wire: Bytes, etag: Option<String>) -> Result<Answer, DecodeError> {
        self.decode.answer(wire, etag)
    }
}

impl<C, E> Clone for Endpoint<C, E> {
    fn clone(&self) -> Self {
        Self { method: self.method, decode: Arc::clone(&self.decode) }
    }
}

impl<C, E> fmt::Debug for Endpoint<C, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Endpoint").field(&self.method.path).finish()
    }
}

/// A decoded request on its way to its handler.
pub trait Call<C, E>: Send {
    /// Where in the tree the request acts: see [`Message::scope`].
    fn scope(&self) -> Option<&str>;

    /// The required fields that are not filled in: see [`Message::missing`].
    fn missing(&self) -> Vec<&'static str>;

    /// The request in binary form: the same bytes for equal requests, however they arrived.
    fn wire(&self) -> Bytes;

    /// Lets the handler answer.
    fn run(self: Box<Self>, context: C) -> BoxFuture<'static, Result<Answer, E>>;
}

/// A handler's answer: the message and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply<T> {
    /// The response message.
    pub message: T,
    /// The version of the resource that the message shows.
    pub etag: Option<String>,
    /// What the caller should know that is no error, in one line of ASCII.
    pub warning: Option<String>,
    /// How old what the message was made from is, in seconds, where that matters.
    pub data_age: Option<i64>,
}

impl<T> From<T> for Reply<T> {
    fn from(message: T) -> Self {
        Self { message, etag: None, warning: None, data_age: None }
    }
}

/// A handler's answer with the type of the message erased.
pub struct Answer {
    message: Box<dyn AnyMessage>,
    /// The version of the resource that the message shows.
    pub etag: Option<String>,
    /// What the caller should know that is no error.
    pub warning: Option<String>,
    /// How old what the message was made from is, in seconds.
    pub data_age: Option<i64>,
}

impl Answer {
    /// The answer that `reply` holds.
    #[must_use]
    pub fn new<T: Message>(reply: Reply<T>) -> Self {
        Self { message: Box::new(reply.message), etag: reply.etag, warning: reply.warning, data_age: reply.data_age }
    }

    /// The message in binary form.
    #[must_use]
    pub fn wire(&self) -> Bytes {
        self.message.wire()
    }

    /// The message as JSON: see [`Message::write_json`].
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = String::with_capacity(1024);
        self.message.json(&mut out);
        out
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("message", &self.message.name()).field("etag", &self.etag).finish_non_exhaustive()
    }
}

/// A message whose type is erased.
pub trait AnyMessage: Send + Sync {
    /// The full name: see [`Message::NAME`].
    fn name(&self) -> &'static str;
    /// The binary form.
    fn wire(&self) -> Bytes;
    /// Appends the JSON form: see [`Message::write_json`].
    fn json(&self, out: &mut String);
}

impl<T: Message> AnyMessage for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn wire(&self) -> Bytes {
        self.encode_to_vec().into()
    }

    fn json(&self, out: &mut String) {
        self.write_json(out);
    }
}

trait Decode<C, E>: Send + Sync {
    fn decode(&self, wire: Bytes) -> Result<Box<dyn Call<C, E> + '_>, DecodeError>;
    fn answer(&self, wire: Bytes, etag: Option<String>) -> Result<Answer, DecodeError>;
}

/// A handler that gives answers in erased form.
struct Handler<R, H>(H, PhantomData<fn() -> R>);

impl<C, E, R, H> Decode<C, E> for Handler<R, H>
where
    R: Rpc,
    H: Fn(C, R::Request) -> BoxFuture<'static, Result<Answer, E>> + Send + Sync + 'static,
{
    fn decode(&self, wire: Bytes) -> Result<Box<dyn Call<C, E> + '_>, DecodeError> {
        Ok(Box::new(Decoded { request: R::Request::decode(wire)?, handler: &self.0 }))
    }

    fn answer(&self, wire: Bytes, etag: Option<String>) -> Result<Answer, DecodeError> {
        Ok(Answer::new(Reply { message: R::Response::decode(wire)?, etag, warning: None, data_age: None }))
    }
}

struct Decoded<'h, T, H> {
    request: T,
    handler: &'h H,
}

impl<C, E, T, H> Call<C, E> for Decoded<'_, T, H>
where
    T: Message,
    H: Fn(C, T) -> BoxFuture<'static, Result<Answer, E>> + Send + Sync,
{
    fn scope(&self) -> Option<&str> {
        self.request.scope()
    }

    fn missing(&self) -> Vec<&'static str> {
        self.request.missing()
    }

    fn wire(&self) -> Bytes {
        self.request.encode_to_vec().into()
    }

    fn run(self: Box<Self>, context: C) -> BoxFuture<'static, Result<Answer, E>> {
        let Self { request, handler } = *self;
        handler(context, request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chainguard::platform::iam::v2beta1::{
        CreateGroupRequest, GetGroupRequest, Group, UpdateGroupRequest,
        rpc::{CreateGroup, DeleteGroup, GetGroup},
    };

    fn decode<C: Send + 'static, E: Send + 'static>(
        endpoint: &Endpoint<C, E>,
        wire: impl Into<Bytes>,
    ) -> Result<Box<dyn Call<C, E> + '_>, Undecodable> {
        Ok(endpoint.decode(endpoint.count(wire.into())?)?)
    }

    async fn get(suffix: &'static str, request: GetGroupRequest) -> Result<Reply<Group>, String> {
        if request.uid == "gone" {
            return Err("not found".to_owned());
        }
        let group = Group { uid: request.uid + suffix, ..Group::default() };
        Ok(Reply { message: group, etag: Some("\"1\"".to_owned()), warning: None, data_age: None })
    }

    #[test]
    fn calls_go_through_the_erased_form() {
        let endpoint = Endpoint::new::<GetGroup, _, _, _>(get);
        assert_eq!(endpoint.method.name, "GetGroup");
        let call = decode(&endpoint, GetGroupRequest { uid: "a".to_owned() }.encode_to_vec()).expect("a call");
        assert_eq!((call.scope(), call.missing()), (Some("a"), vec![]));
        assert_eq!(GetGroupRequest::decode(call.wire()).map(|request| request.uid), Ok("a".to_owned()));
        let answer = futures::executor::block_on(call.run("b")).expect("an answer");
        assert_eq!(Group::decode(answer.wire()).map(|group| group.uid), Ok("ab".to_owned()));
        assert!(answer.json().starts_with(r#"{"uid":"ab","name":"""#), "{}", answer.json());
        assert_eq!(answer.etag.as_deref(), Some("\"1\""));
        let kept = endpoint.answer(answer.wire(), answer.etag.clone()).expect("the same answer");
        assert_eq!((kept.json(), &kept.etag), (answer.json(), &answer.etag));

        let call = decode(&endpoint, GetGroupRequest { uid: "gone".to_owned() }.encode_to_vec()).expect("a call");
        assert_eq!(futures::executor::block_on(call.run("")).map(|_| ()), Err("not found".to_owned()));
        assert!(decode(&endpoint, Bytes::from_static(&[0xff])).is_err());
    }

    #[test]
    fn empty_answers_are_empty_objects() {
        let endpoint = Endpoint::<(), ()>::new::<DeleteGroup, _, _, _>(|(), _| async { Ok(()) });
        let call = decode(&endpoint, Bytes::new()).expect("a call");
        assert_eq!((call.scope(), call.missing()), (Some(""), vec!["uid"]));
        let answer = futures::executor::block_on(call.run(())).expect("an answer");
        assert_eq!((answer.json().as_str(), answer.wire().len()), ("{}", 0));
    }

    #[test]
    fn scopes_are_found_in_the_embedded_resource() {
        let request = UpdateGroupRequest { group: Some(Group { uid: "a".to_owned(), ..Group::default() }), update_mask: None };
        assert_eq!(request.scope(), Some("a"));
        assert_eq!(UpdateGroupRequest::default().scope(), None);
        assert_eq!(UpdateGroupRequest::default().missing(), ["group"]);
        assert_eq!(CreateGroupRequest::default().missing(), ["group"]);
        assert_eq!(Group::default().missing(), ["name"]);
        let endpoint =
            Endpoint::<(), ()>::new::<CreateGroup, _, _, _>(|(), request| async move { Ok(request.group.unwrap_or_default()) });
        assert_eq!(endpoint.method.path, "/chainguard.platform.iam.v2beta1.GroupsService/CreateGroup");
    }
}
