-- Sessions of users, each with the refresh token that works next: its digest, and that of the one before it. They are in no backup.
CREATE TABLE sessions (
    uid TEXT NOT NULL PRIMARY KEY,
    identity TEXT NOT NULL REFERENCES identities (uid) ON DELETE CASCADE,
    relationship_revision INTEGER NOT NULL,
    provider TEXT,
    client TEXT NOT NULL,
    upstream TEXT NOT NULL,
    email TEXT,
    audiences TEXT NOT NULL,
    scopes TEXT,
    capabilities TEXT,
    digest BLOB NOT NULL,
    previous BLOB,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_identity ON sessions (identity, used_at, uid);
CREATE INDEX sessions_used_at ON sessions (used_at, uid);
