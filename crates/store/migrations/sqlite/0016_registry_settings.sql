-- Settings of all repositories of a group, one row for a group at most: it has the group's uid, and the group's parent.
CREATE TABLE registry_settings (
    uid TEXT NOT NULL PRIMARY KEY REFERENCES groups (uid),
    parent TEXT NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    unique_tags INTEGER NOT NULL CHECK (unique_tags IN (0, 1)),
    eol_grace_period INTEGER NOT NULL CHECK (eol_grace_period IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX registry_settings_parent ON registry_settings (parent, uid);
CREATE INDEX registry_settings_org_created_at ON registry_settings (org, created_at, uid);
