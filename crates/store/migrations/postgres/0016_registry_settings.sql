-- Settings of all repositories of a group, one row for a group at most: it has the group's uid, and the group's parent.
CREATE TABLE registry_settings (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES groups (uid),
    parent TEXT COLLATE "C" NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    unique_tags BOOLEAN NOT NULL,
    eol_grace_period BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX registry_settings_parent ON registry_settings (parent, uid);
CREATE INDEX registry_settings_org_created_at ON registry_settings (org, created_at, uid);
