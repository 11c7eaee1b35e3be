-- Tags of repositories, and which digests they had. `forms` is what a tag's name says of it, a bit for each form.
CREATE TABLE tags (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES repos (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C",
    deprecated BOOLEAN NOT NULL,
    bundles TEXT COLLATE "C" NOT NULL,
    forms BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
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
    tag TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    parent TEXT COLLATE "C" NOT NULL REFERENCES repos (uid) CHECK (parent = substr(tag, 1, length(tag) - 17)),
    name TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tag, revision)
);
CREATE INDEX tag_history_parent_name ON tag_history (parent, name, revision);
