-- Named lists of packages that go into images.
CREATE TABLE overlays (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT COLLATE "C" NOT NULL,
    packages TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX overlays_parent_name_key ON overlays (parent, name);
CREATE INDEX overlays_name ON overlays (name, uid);
CREATE INDEX overlays_created_at ON overlays (created_at, uid);
CREATE INDEX overlays_org_name ON overlays (org, name, uid);
CREATE INDEX overlays_org_created_at ON overlays (org, created_at, uid);
CREATE INDEX overlays_parent ON overlays (parent, uid);
CREATE INDEX overlays_parent_name ON overlays (parent, name, uid);
CREATE INDEX overlays_parent_created_at ON overlays (parent, created_at, uid);
