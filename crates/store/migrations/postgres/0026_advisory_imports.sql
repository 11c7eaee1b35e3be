-- Documents of others that became advisories: the imports of groups, what these have rejected, the documents as they came, and which
-- advisory is which part of a document. `finished_at` is 0 while documents are awaited.
CREATE TABLE advisory_imports (
    uid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    approved BOOLEAN NOT NULL,
    documents BIGINT NOT NULL,
    imported BIGINT NOT NULL,
    unchanged BIGINT NOT NULL,
    rejected BIGINT NOT NULL,
    advisories_created BIGINT NOT NULL,
    advisories_updated BIGINT NOT NULL,
    finished_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL
);
CREATE INDEX advisory_imports_parent ON advisory_imports (parent, created_at, uid);

CREATE TABLE advisory_rejections (
    import_uid TEXT COLLATE "C" NOT NULL REFERENCES advisory_imports (uid),
    place BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (import_uid, place)
);

CREATE TABLE advisory_documents (
    parent TEXT COLLATE "C" NOT NULL REFERENCES groups (uid),
    format TEXT COLLATE "C" NOT NULL,
    record TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (parent, format, record)
);

CREATE TABLE advisory_parts (
    advisory TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES advisories (uid),
    parent TEXT COLLATE "C" NOT NULL,
    format TEXT COLLATE "C" NOT NULL,
    record TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (parent, format, record) REFERENCES advisory_documents (parent, format, record)
);
CREATE INDEX advisory_parts_record ON advisory_parts (parent, format, record);
