-- Sessions of users, each with the refresh token that works next: its digest, and that of the one before it. They are in no backup.
CREATE TABLE sessions (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    identity TEXT COLLATE "C" NOT NULL REFERENCES identities (uid) ON DELETE CASCADE,
    relationship_revision BIGINT NOT NULL,
    provider TEXT COLLATE "C",
    client TEXT COLLATE "C" NOT NULL,
    upstream TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C",
    audiences TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C",
    capabilities TEXT COLLATE "C",
    digest BYTEA NOT NULL,
    previous BYTEA,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX sessions_identity ON sessions (identity, used_at, uid);
CREATE INDEX sessions_used_at ON sessions (used_at, uid);
