-- Offers of a role at a group. Of a code there is its public part and a digest of the other one. The role may go, so nothing refers to it.
-- A group has few of them, so that they are sorted where no index has an order.
CREATE TABLE group_invites (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    role TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    single_use BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    code_digest TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX group_invites_parent ON group_invites (parent, uid);
CREATE INDEX group_invites_org_created_at ON group_invites (org, created_at, uid);
CREATE INDEX group_invites_key_id ON group_invites (key_id, uid);
CREATE INDEX group_invites_role ON group_invites (role, uid);
