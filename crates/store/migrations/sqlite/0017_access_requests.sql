-- Users who ask to be let into an organization. It has few of them, so that they are sorted where no index has an order.
CREATE TABLE access_requests (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    identity TEXT NOT NULL REFERENCES identities (uid),
    email TEXT NOT NULL,
    refused_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX access_requests_parent_identity_key ON access_requests (parent, identity);
CREATE INDEX access_requests_parent ON access_requests (parent, uid);
CREATE INDEX access_requests_org_created_at ON access_requests (org, created_at, uid);
CREATE INDEX access_requests_identity ON access_requests (identity, uid);
