-- Tags of repositories, and which digests they had. `forms` is what a tag's name says of it, a bit for each form.
CREATE TABLE tags (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES repos (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT NOT NULL,
    digest TEXT,
    deprecated INTEGER NOT NULL CHECK (deprecated IN (0, 1)),
    bundles TEXT NOT NULL,
    forms INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tags_parent_name_key ON tags (parent, name);
CREATE INDEX tags_name ON tags (name, uid);
CREATE INDEX tags_created_at ON tags (created_at, uid);
CREATE INDEX tags_org_name ON tags (org, name, uid);
CREATE INDEX tags_org_created_at ON tags (org, created_at, uid);
CREATE INDEX tags_parent ON tags (parent, uid);
CREATE INDEX tags_parent_name ON tags (parent, name, uid);
CREATE INDEX tags_parent_created_at ON tags (parent, created_at, uid);
CREATE INDEX tags_digest ON tags (digest, uid);
CREATE INDEX tags_forms ON tags (forms, uid);
CREATE INDEX tags_org_updated_at ON tags (org, updated_at, uid);

-- The newest digests that a tag got, for as long as it exists.
CREATE TABLE tag_history (
    tag TEXT NOT NULL,
    revision INTEGER NOT NULL,
    parent TEXT NOT NULL REFERENCES repos (uid) CHECK (parent = substr(tag, 1, length(tag) - 17)),
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (tag, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_history_parent_name ON tag_history (parent, name, revision);
