-- URLs that are told what happens in a group. A group has few of them, so that they are sorted where no index has an order.
CREATE TABLE subscriptions (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT COLLATE "C" NOT NULL CHECK (org = substr(uid, 1, 40)),
    sink TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX subscriptions_parent ON subscriptions (parent, uid);
CREATE INDEX subscriptions_org_created_at ON subscriptions (org, created_at, uid);
