-- Identity and access management, repositories, signing keys, and what every write leaves behind.
-- Times are milliseconds since 1970, nested shapes are JSON text, keys compare as bytes.
-- Constraint names that code reads are made of table and columns; see engine/sqlite/fault.rs.

-- The number of the last commit. One row.
CREATE TABLE revision (n INTEGER NOT NULL) STRICT;
INSERT INTO revision (n) VALUES (0);

-- How many rows of each noun live below each place. A group also counts itself.
CREATE TABLE counts (
    prefix TEXT NOT NULL,
    noun TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n >= 0),
    PRIMARY KEY (prefix, noun)
) STRICT, WITHOUT ROWID;

CREATE TABLE groups (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX groups_name_key ON groups (name) WHERE verified = 1 AND parent = '/';
CREATE INDEX groups_name ON groups (name, uid);
CREATE INDEX groups_created_at ON groups (created_at, uid);
CREATE INDEX groups_org_name ON groups (org, name, uid);
CREATE INDEX groups_org_created_at ON groups (org, created_at, uid);
CREATE INDEX groups_parent ON groups (parent, uid);
CREATE INDEX groups_parent_name ON groups (parent, name, uid);
CREATE INDEX groups_parent_created_at ON groups (parent, created_at, uid);

CREATE TABLE identities (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    company TEXT NOT NULL,
    email TEXT,
    email_unverified TEXT,
    relationship_type TEXT NOT NULL,
    relationship TEXT NOT NULL,
    relationship_revision INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX identities_name ON identities (name, uid);
CREATE INDEX identities_created_at ON identities (created_at, uid);
CREATE INDEX identities_org_name ON identities (org, name, uid);
CREATE INDEX identities_org_created_at ON identities (org, created_at, uid);
CREATE INDEX identities_parent ON identities (parent, uid);
CREATE INDEX identities_parent_name ON identities (parent, name, uid);
CREATE INDEX identities_parent_created_at ON identities (parent, created_at, uid);

CREATE TABLE roles (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX roles_name ON roles (name, uid);
CREATE INDEX roles_created_at ON roles (created_at, uid);
CREATE INDEX roles_org_name ON roles (org, name, uid);
CREATE INDEX roles_org_created_at ON roles (org, created_at, uid);
CREATE INDEX roles_parent ON roles (parent, uid);
CREATE INDEX roles_parent_name ON roles (parent, name, uid);
CREATE INDEX roles_parent_created_at ON roles (parent, created_at, uid);

CREATE TABLE role_bindings (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    identity TEXT NOT NULL REFERENCES identities (uid),
    role TEXT NOT NULL REFERENCES roles (uid),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX role_bindings_identity ON role_bindings (identity, uid);
CREATE INDEX role_bindings_role ON role_bindings (role, uid);
CREATE INDEX role_bindings_created_at ON role_bindings (created_at, uid);
CREATE INDEX role_bindings_org_created_at ON role_bindings (org, created_at, uid);
CREATE INDEX role_bindings_parent ON role_bindings (parent, uid);
CREATE INDEX role_bindings_parent_created_at ON role_bindings (parent, created_at, uid);

CREATE TABLE repos (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    catalog_tier TEXT NOT NULL,
    bundles TEXT NOT NULL,
    aliases TEXT NOT NULL,
    active_tags TEXT NOT NULL,
    sync_config TEXT,
    custom_overlay TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX repos_parent_name_key ON repos (parent, name);
CREATE INDEX repos_name ON repos (name, uid);
CREATE INDEX repos_created_at ON repos (created_at, uid);
CREATE INDEX repos_org_name ON repos (org, name, uid);
CREATE INDEX repos_org_created_at ON repos (org, created_at, uid);
CREATE INDEX repos_parent ON repos (parent, uid);
CREATE INDEX repos_parent_name ON repos (parent, name, uid);
CREATE INDEX repos_parent_created_at ON repos (parent, created_at, uid);

CREATE TABLE signing_keys (
    kid TEXT NOT NULL PRIMARY KEY,
    algorithm TEXT NOT NULL,
    private_key BLOB NOT NULL,
    public_jwk TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    not_before_at INTEGER NOT NULL,
    retired_at INTEGER,
    revision INTEGER NOT NULL
) STRICT;

-- Requests that are applied at most once, and what was answered. Rows live 24 hours.
CREATE TABLE idempotency (
    claim BLOB NOT NULL PRIMARY KEY,
    request BLOB NOT NULL,
    message BLOB,
    etag TEXT,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_created_at ON idempotency (created_at, claim);

-- The feed of changes, for caches, watches and other nodes.
CREATE TABLE changes (
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    noun TEXT NOT NULL,
    uid TEXT NOT NULL,
    op TEXT NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;

-- Events that wait for delivery.
CREATE TABLE outbox (
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    api_version TEXT NOT NULL,
    customer INTEGER NOT NULL CHECK (customer IN (0, 1)),
    subject TEXT NOT NULL,
    group_uid TEXT NOT NULL,
    actor TEXT NOT NULL,
    upstream TEXT,
    snapshot TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT;

-- Who did what. Writes have a revision, exchanges and refused calls none.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    revision INTEGER,
    actor TEXT NOT NULL,
    upstream TEXT,
    token_id TEXT,
    method TEXT NOT NULL,
    request_id TEXT NOT NULL,
    peer TEXT,
    noun TEXT,
    subject TEXT,
    op TEXT,
    outcome TEXT NOT NULL
) STRICT;
