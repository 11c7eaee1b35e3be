use testkit::{TestServer, golden};

#[tokio::test]
async fn every_method_states_truthfully_whether_it_is_served() {
    let server = TestServer::start().await;
    let implemented = server.implemented().await;
    golden("docs/api/methods.txt", &contract::methods_txt(&|method| implemented.contains(&method.path)));
    server.stop().await;
}
