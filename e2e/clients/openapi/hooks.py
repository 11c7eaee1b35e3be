"""Checks of our own for schemathesis: every answer but a success is an error in the API's form."""

import os
import pathlib

import schemathesis

# google.rpc.Code by name, and the HTTP statuses that it may have here.
STATUSES = {
    3: ("INVALID_ARGUMENT", {400, 405, 413}),
    5: ("NOT_FOUND", {404}),
    6: ("ALREADY_EXISTS", {409}),
    7: ("PERMISSION_DENIED", {403}),
    9: ("FAILED_PRECONDITION", {400}),
    10: ("ABORTED", {409}),
    12: ("UNIMPLEMENTED", {405, 501}),
    16: ("UNAUTHENTICATED", {401}),
}


def unimplemented():
    """The operations, by the beginning of their identifier, that methods.txt says are not there yet."""
    table = pathlib.Path(os.environ["PROVOST_METHODS"]).read_text().splitlines()
    rows = [line.split() for line in table if line.endswith(" unimplemented")]
    return {row[0].removeprefix("chainguard.platform.").replace("/", ".") for row in rows}


UNIMPLEMENTED = unimplemented()


@schemathesis.check
def errors_have_one_form(ctx, response, case):
    if response.status_code < 300 or case.method == "HEAD":
        return
    status = response.json()
    assert response.status_code in STATUSES[status["code"]][1], f"code {status['code']} with {response.status_code}"
    assert status["message"], "an error without a message"
    first = status["details"][0]
    assert first["@type"] == "type.googleapis.com/google.rpc.ErrorInfo", first
    assert first["reason"], first
    if response.status_code == 401:
        assert response.headers["www-authenticate"][0].startswith("Bearer"), response.headers


@schemathesis.check
def only_what_is_missing_fails(ctx, response, case):
    if response.status_code < 500:
        return
    method = ".".join(case.operation.definition.raw["operationId"].split(".")[:4])
    known = {method, method.rsplit(".", 1)[0]} & UNIMPLEMENTED
    assert response.status_code == 501 and known, f"{response.status_code} of {method}"
