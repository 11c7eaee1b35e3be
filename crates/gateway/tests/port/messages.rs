//! How gRPC requests bring their message: once, and packed if the client likes.

use bytes::Bytes;
use contract::chainguard::platform::iam::v2beta1::{CreateGroupRequest, Group};
use prost::Message as _;
use tonic::{Code, Request, Status, codec::CompressionEncoding};

use crate::support::{GROUPS, Raw, Running, org, start};

fn create(description: usize) -> Bytes {
    let group = Group { name: "packed".into(), description: "a".repeat(description), ..Group::default() };
    CreateGroupRequest { parent: org().to_string(), group: Some(group) }.encode_to_vec().into()
}

/// Sends messages to `CreateGroup`, packed or as they are.
async fn send(server: &Running, packed: Option<CompressionEncoding>, messages: Vec<Bytes>) -> Result<Bytes, Status> {
    let mut grpc = tonic::client::Grpc::new(server.channel().await);
    if let Some(encoding) = packed {
        grpc = grpc.send_compressed(encoding);
    }
    grpc.ready().await.unwrap();
    let mut request = Request::new(futures::stream::iter(messages));
    request.metadata_mut().insert("authorization", "Bearer owner".parse().unwrap());
    let path = format!("{GROUPS}/CreateGroup").parse().unwrap();
    grpc.client_streaming(request, path, Raw).await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn packed_messages_are_read() {
    let server = start().await;
    let answer = send(&server, Some(CompressionEncoding::Gzip), vec![create(1000)]).await.unwrap();
    assert_eq!(Group::decode(answer).unwrap().name, "packed");
}

#[tokio::test]
async fn the_limit_holds_for_what_a_message_unpacks_to() {
    let server = start().await;
    // Some kilobytes on the wire.
    let status = send(&server, Some(CompressionEncoding::Gzip), vec![create(64 << 20)]).await.unwrap_err();
    assert_eq!(
        (status.code(), status.message()),
        (Code::InvalidArgument, "Invalid argument: the body is larger than 4194304 bytes")
    );
    send(&server, Some(CompressionEncoding::Gzip), vec![create(3 << 20)]).await.unwrap();
}

#[tokio::test]
async fn a_call_has_one_message() {
    let server = start().await;
    for messages in [vec![], vec![create(1), create(1)]] {
        let status = send(&server, None, messages).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    }
    assert_eq!(server.world.created.load(std::sync::atomic::Ordering::SeqCst), 0);
    send(&server, None, vec![create(1)]).await.unwrap();
}
