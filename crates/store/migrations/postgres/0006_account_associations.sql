-- The accounts of groups at other providers, one row for a group at most: it has the group's uid, and the group's parent.
CREATE TABLE account_associations (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES groups (uid),
    parent TEXT COLLATE "C" NOT NULL CHECK (parent = CASE length(uid) WHEN 40 THEN '/' ELSE substr(uid, 1, length(uid) - 17) END),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    amazon TEXT COLLATE "C",
    google TEXT COLLATE "C",
    azure TEXT COLLATE "C",
    service_bindings TEXT COLLATE "C",
    github TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX account_associations_name ON account_associations (name, uid);
CREATE INDEX account_associations_created_at ON account_associations (created_at, uid);
CREATE INDEX account_associations_org_name ON account_associations (org, name, uid);
CREATE INDEX account_associations_org_created_at ON account_associations (org, created_at, uid);
CREATE INDEX account_associations_parent ON account_associations (parent, uid);
CREATE INDEX account_associations_parent_name ON account_associations (parent, name, uid);
CREATE INDEX account_associations_parent_created_at ON account_associations (parent, created_at, uid);
