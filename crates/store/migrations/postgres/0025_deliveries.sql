-- Up to where events have been handed to the subscriptions that they concern: one row, made when a server starts.
CREATE TABLE delivery_mark (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    revision BIGINT NOT NULL,
    ordinal BIGINT NOT NULL
);

-- Subscriptions with events that their sinks have not taken yet: the last event that is done with, the last one that is known to
-- concern the subscription, how often the next one has failed, and which node is at it until when.
CREATE TABLE deliveries (
    subscription TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES subscriptions (uid) ON DELETE CASCADE,
    done_revision BIGINT NOT NULL,
    done_ordinal BIGINT NOT NULL,
    target_revision BIGINT NOT NULL,
    target_ordinal BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    failing_since BIGINT,
    problem TEXT COLLATE "C",
    due_at BIGINT NOT NULL,
    node TEXT COLLATE "C",
    leased_until BIGINT NOT NULL
);
CREATE INDEX deliveries_due_at ON deliveries (due_at, subscription);
CREATE INDEX deliveries_done ON deliveries (done_revision);

-- Events that were given up, each a copy, so that the outbox need not be kept for them. `replayed_at` is set while one is to be sent
-- again. Those of a subscription that is gone are removed in small steps.
CREATE TABLE dead_letters (
    subscription TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    api_version TEXT COLLATE "C" NOT NULL,
    customer BOOLEAN NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    group_uid TEXT COLLATE "C" NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    upstream TEXT COLLATE "C",
    snapshot TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    problem TEXT COLLATE "C" NOT NULL,
    died_at BIGINT NOT NULL,
    replayed_at BIGINT,
    PRIMARY KEY (subscription, revision, ordinal)
);
CREATE INDEX dead_letters_died_at ON dead_letters (died_at, subscription);
CREATE INDEX dead_letters_replayed ON dead_letters (subscription, revision, ordinal) WHERE replayed_at IS NOT NULL;
