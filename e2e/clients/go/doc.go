// Package clients drives a live server with the published SDK, which nobody here wrote and nobody here changes.
//
// Its tests find the server by the variables that e2e/clients/run sets:
//
//   - PROVOST_TEST_API, the server's URL, which is its issuer and audience too;
//   - PROVOST_TEST_OPERATOR, a token of an operator;
//   - PROVOST_TEST_IDP, the development identity provider's URL, when the server has one.
package clients
