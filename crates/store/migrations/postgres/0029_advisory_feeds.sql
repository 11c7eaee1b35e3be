-- What the feeds of an organization are made from last changed then: an advisory, a document of others or what is known of a
-- vulnerability. So who has what there is learns that from one row.
CREATE TABLE advisory_feeds (
    org TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES groups (uid),
    changed_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
INSERT INTO advisory_feeds (org, changed_at, revision) SELECT org, max(updated_at), max(revision) FROM advisories GROUP BY org;
