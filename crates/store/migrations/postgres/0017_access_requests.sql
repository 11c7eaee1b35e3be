-- Users who ask to be let into an organization. It has few of them, so that they are sorted where no index has an order.
CREATE TABLE access_requests (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    identity TEXT COLLATE "C" NOT NULL REFERENCES identities (uid),
    email TEXT COLLATE "C" NOT NULL,
    refused_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX access_requests_parent_identity_key ON access_requests (parent, identity);
CREATE INDEX access_requests_parent ON access_requests (parent, uid);
CREATE INDEX access_requests_org_created_at ON access_requests (org, created_at, uid);
CREATE INDEX access_requests_identity ON access_requests (identity, uid);
