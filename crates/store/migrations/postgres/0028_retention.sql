-- How far old entries of the audit log have gone: those that are marked with this number or a smaller one, with their changes and events.
-- The feed tells all of every commit after `floor`. No row as long as nothing has gone.
CREATE TABLE retention (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    number BIGINT NOT NULL,
    floor BIGINT NOT NULL
);

ALTER TABLE audit ADD COLUMN goes BIGINT;
CREATE INDEX audit_goes ON audit (goes) WHERE goes IS NOT NULL;

-- What the audit log vouches for of events that are gone from the outbox: the SHA-256 of each.
CREATE TABLE spent_events (
    revision BIGINT NOT NULL,
    ordinal BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (revision, ordinal)
);
