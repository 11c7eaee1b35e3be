-- Roles for the members of outside groups. An identity provider has few of them, so that they are sorted where no index has an order.
CREATE TABLE external_group_role_mappings (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES identity_providers (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    external_group_id TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL REFERENCES roles (uid),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX external_group_role_mappings_parent_external_group_id_role_key
    ON external_group_role_mappings (parent, external_group_id, role);
CREATE INDEX external_group_role_mappings_parent ON external_group_role_mappings (parent, uid);
CREATE INDEX external_group_role_mappings_org_created_at ON external_group_role_mappings (org, created_at, uid);
CREATE INDEX external_group_role_mappings_role ON external_group_role_mappings (role, uid);
