-- URLs that are told what happens in a group. A group has few of them, so that they are sorted where no index has an order.
CREATE TABLE subscriptions (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    sink TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX subscriptions_parent ON subscriptions (parent, uid);
CREATE INDEX subscriptions_org_created_at ON subscriptions (org, created_at, uid);
