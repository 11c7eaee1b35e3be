-- The documents that were accepted in the name of groups: each once for a group, however often it is accepted. Who accepted it may be gone.
CREATE TABLE terms_acceptances (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    document TEXT NOT NULL,
    accepted_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX terms_acceptances_parent_document_key ON terms_acceptances (parent, document);
CREATE INDEX terms_acceptances_parent ON terms_acceptances (parent, uid);
CREATE INDEX terms_acceptances_org_created_at ON terms_acceptances (org, created_at, uid);
-- What users have told about themselves, one row for a user at most: it has the user's uid, and the user's parent.
CREATE TABLE identity_metadata (
    uid TEXT NOT NULL PRIMARY KEY REFERENCES identities (uid),
    parent TEXT NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    spec TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX identity_metadata_parent ON identity_metadata (parent, uid);
CREATE INDEX identity_metadata_org_created_at ON identity_metadata (org, created_at, uid);
