-- Identity and access management, repositories, signing keys, and what every write leaves behind.
-- Times are milliseconds since 1970, nested shapes are JSON text, texts compare as bytes.
-- Constraint names that code reads are made of table and columns.

-- The number of the last commit. One row, and the write lock of every node: each write transaction begins by locking it.
CREATE TABLE revision (n BIGINT NOT NULL) WITH (fillfactor = 10);
INSERT INTO revision (n) VALUES (0);

-- Which of its group commits each node made last: tells it the outcome of a commit whose answer was lost.
CREATE TABLE writers (
    node TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    batch BIGINT NOT NULL,
    seen TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 10);

-- How many rows of each noun live below each place. A group also counts itself.
CREATE TABLE counts (
    prefix TEXT COLLATE "C" NOT NULL,
    noun TEXT COLLATE "C" NOT NULL,
    n BIGINT NOT NULL CHECK (n >= 0),
    PRIMARY KEY (prefix, noun)
) WITH (fillfactor = 70);

CREATE TABLE groups (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    verified BOOLEAN NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX groups_name_key ON groups (name) WHERE verified AND parent = '/';
CREATE INDEX groups_name ON groups (name, uid);
CREATE INDEX groups_created_at ON groups (created_at, uid);
CREATE INDEX groups_org_name ON groups (org, name, uid);
CREATE INDEX groups_org_created_at ON groups (org, created_at, uid);
CREATE INDEX groups_parent ON groups (parent, uid);
CREATE INDEX groups_parent_name ON groups (parent, name, uid);
CREATE INDEX groups_parent_created_at ON groups (parent, created_at, uid);

CREATE TABLE identities (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    company TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C",
    email_unverified TEXT COLLATE "C",
    relationship_type TEXT COLLATE "C" NOT NULL,
    relationship TEXT COLLATE "C" NOT NULL,
    relationship_revision BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX identities_name ON identities (name, uid);
CREATE INDEX identities_created_at ON identities (created_at, uid);
CREATE INDEX identities_org_name ON identities (org, name, uid);
CREATE INDEX identities_org_created_at ON identities (org, created_at, uid);
CREATE INDEX identities_parent ON identities (parent, uid);
CREATE INDEX identities_parent_name ON identities (parent, name, uid);
CREATE INDEX identities_parent_created_at ON identities (parent, created_at, uid);

CREATE TABLE roles (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    capabilities TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX roles_name ON roles (name, uid);
CREATE INDEX roles_created_at ON roles (created_at, uid);
CREATE INDEX roles_org_name ON roles (org, name, uid);
CREATE INDEX roles_org_created_at ON roles (org, created_at, uid);
CREATE INDEX roles_parent ON roles (parent, uid);
CREATE INDEX roles_parent_name ON roles (parent, name, uid);
CREATE INDEX roles_parent_created_at ON roles (parent, created_at, uid);

CREATE TABLE role_bindings (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    identity TEXT COLLATE "C" NOT NULL REFERENCES identities (uid),
    role TEXT COLLATE "C" NOT NULL REFERENCES roles (uid),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX role_bindings_identity ON role_bindings (identity, uid);
CREATE INDEX role_bindings_role ON role_bindings (role, uid);
CREATE INDEX role_bindings_created_at ON role_bindings (created_at, uid);
CREATE INDEX role_bindings_org_created_at ON role_bindings (org, created_at, uid);
CREATE INDEX role_bindings_parent ON role_bindings (parent, uid);
CREATE INDEX role_bindings_parent_created_at ON role_bindings (parent, created_at, uid);

CREATE TABLE repos (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    catalog_tier TEXT COLLATE "C" NOT NULL,
    bundles TEXT COLLATE "C" NOT NULL,
    aliases TEXT COLLATE "C" NOT NULL,
    active_tags TEXT COLLATE "C" NOT NULL,
    sync_config TEXT COLLATE "C",
    custom_overlay TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX repos_parent_name_key ON repos (parent, name);
CREATE INDEX repos_name ON repos (name, uid);
CREATE INDEX repos_created_at ON repos (created_at, uid);
CREATE INDEX repos_org_name ON repos (org, name, uid);
CREATE INDEX repos_org_created_at ON repos (org, created_at, uid);
CREATE INDEX repos_parent ON repos (parent, uid);
CREATE INDEX repos_parent_name ON repos (parent, name, uid);
CREATE INDEX repos_parent_created_at ON repos (parent, created_at, uid);

CREATE TABLE signing_keys (
    kid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    algorithm TEXT COLLATE "C" NOT NULL,
    private_key BYTEA NOT NULL,
    public_jwk TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    not_before_at BIGINT NOT NULL,
    retired_at BIGINT,
    revision BIGINT NOT NULL
);

-- Requests that are applied at most once, and what was answered. Rows live 24 hours.
CREATE TABLE idempotency (
    claim BYTEA NOT NULL PRIMARY KEY,
    request BYTEA NOT NULL,
    message BYTEA,
    etag TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX idempotency_created_at ON idempotency (created_at, claim);

-- The feed of changes, for caches, watches and other nodes.
CREATE TABLE changes (
    revision BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    noun TEXT COLLATE "C" NOT NULL,
    uid TEXT COLLATE "C" NOT NULL,
    op TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (revision, ordinal)
);

-- Events that wait for delivery.
CREATE TABLE outbox (
    revision BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    api_version TEXT COLLATE "C" NOT NULL,
    customer BOOLEAN NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    group_uid TEXT COLLATE "C" NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    upstream TEXT COLLATE "C",
    snapshot TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (revision, ordinal)
);

-- Who did what. Writes have a revision, exchanges and refused calls none.
CREATE TABLE audit (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    revision BIGINT,
    actor TEXT COLLATE "C" NOT NULL,
    upstream TEXT COLLATE "C",
    token_id TEXT COLLATE "C",
    method TEXT COLLATE "C" NOT NULL,
    request_id TEXT COLLATE "C" NOT NULL,
    peer TEXT COLLATE "C",
    noun TEXT COLLATE "C",
    subject TEXT COLLATE "C",
    op TEXT COLLATE "C",
    outcome TEXT COLLATE "C" NOT NULL
);
