-- The charts that deploy a repository's images, one row for a repository at most: it has the repository's uid, and the repository's parent.
CREATE TABLE deployments (
    uid TEXT NOT NULL PRIMARY KEY REFERENCES repos (uid),
    parent TEXT NOT NULL CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    charts TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX deployments_parent ON deployments (parent, uid);
CREATE INDEX deployments_org_created_at ON deployments (org, created_at, uid);
