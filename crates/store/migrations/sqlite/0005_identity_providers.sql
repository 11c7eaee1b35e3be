-- Where the people of organizations log in. `oidc` has all of how but the client secret, which is sealed.
CREATE TABLE identity_providers (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    default_role TEXT NOT NULL REFERENCES roles (uid),
    oidc TEXT NOT NULL,
    client_secret TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX identity_providers_name ON identity_providers (name, uid);
CREATE INDEX identity_providers_created_at ON identity_providers (created_at, uid);
CREATE INDEX identity_providers_org_name ON identity_providers (org, name, uid);
CREATE INDEX identity_providers_org_created_at ON identity_providers (org, created_at, uid);
CREATE INDEX identity_providers_parent ON identity_providers (parent, uid);
CREATE INDEX identity_providers_parent_name ON identity_providers (parent, name, uid);
CREATE INDEX identity_providers_parent_created_at ON identity_providers (parent, created_at, uid);
CREATE INDEX identity_providers_default_role ON identity_providers (default_role, uid);
