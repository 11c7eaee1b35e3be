-- Which overlays go into which tags of repositories. A repository has few of them, so that they are sorted where no index has an order.
CREATE TABLE overlay_bindings (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES repos (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    overlay TEXT COLLATE "C" NOT NULL REFERENCES overlays (uid),
    tags TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX overlay_bindings_parent ON overlay_bindings (parent, uid);
CREATE INDEX overlay_bindings_org_created_at ON overlay_bindings (org, created_at, uid);
CREATE INDEX overlay_bindings_overlay ON overlay_bindings (overlay, uid);
