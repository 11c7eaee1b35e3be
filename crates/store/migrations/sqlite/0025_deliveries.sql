-- Up to where events have been handed to the subscriptions that they concern: one row, made when a server starts.
CREATE TABLE delivery_mark (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL
) STRICT;

-- Subscriptions with events that their sinks have not taken yet: the last event that is done with, the last one that is known to
-- concern the subscription, how often the next one has failed, and which node is at it until when.
CREATE TABLE deliveries (
    subscription TEXT NOT NULL PRIMARY KEY REFERENCES subscriptions (uid) ON DELETE CASCADE,
    done_revision INTEGER NOT NULL,
    done_ordinal INTEGER NOT NULL,
    target_revision INTEGER NOT NULL,
    target_ordinal INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    failing_since INTEGER,
    problem TEXT,
    due_at INTEGER NOT NULL,
    node TEXT,
    leased_until INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_due_at ON deliveries (due_at, subscription);
CREATE INDEX deliveries_done ON deliveries (done_revision);

-- Events that were given up, each a copy, so that the outbox need not be kept for them. `replayed_at` is set while one is to be sent
-- again. Those of a subscription that is gone are removed in small steps.
CREATE TABLE dead_letters (
    subscription TEXT NOT NULL,
    revision INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    api_version TEXT NOT NULL,
    customer INTEGER NOT NULL CHECK (customer IN (0, 1)),
    subject TEXT NOT NULL,
    group_uid TEXT NOT NULL,
    actor TEXT NOT NULL,
    upstream TEXT,
    snapshot TEXT NOT NULL,
    at INTEGER NOT NULL,
    id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    problem TEXT NOT NULL,
    died_at INTEGER NOT NULL,
    replayed_at INTEGER,
    PRIMARY KEY (subscription, revision, ordinal)
) STRICT;
CREATE INDEX dead_letters_died_at ON dead_letters (died_at, subscription);
CREATE INDEX dead_letters_replayed ON dead_letters (subscription, revision, ordinal) WHERE replayed_at IS NOT NULL;
