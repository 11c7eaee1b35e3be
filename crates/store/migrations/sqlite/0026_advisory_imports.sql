-- Documents of others that became advisories: the imports of groups, what these have rejected, the documents as they came, and which
-- advisory is which part of a document. `finished_at` is 0 while documents are awaited.
CREATE TABLE advisory_imports (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    approved INTEGER NOT NULL CHECK (approved IN (0, 1)),
    documents INTEGER NOT NULL,
    imported INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    advisories_created INTEGER NOT NULL,
    advisories_updated INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE INDEX advisory_imports_parent ON advisory_imports (parent, created_at, uid);

CREATE TABLE advisory_rejections (
    import_uid TEXT NOT NULL REFERENCES advisory_imports (uid),
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (import_uid, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE advisory_documents (
    parent TEXT NOT NULL REFERENCES groups (uid),
    format TEXT NOT NULL,
    record TEXT NOT NULL,
    digest BLOB NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (parent, format, record)
) STRICT;

CREATE TABLE advisory_parts (
    advisory TEXT NOT NULL PRIMARY KEY REFERENCES advisories (uid),
    parent TEXT NOT NULL,
    format TEXT NOT NULL,
    record TEXT NOT NULL,
    FOREIGN KEY (parent, format, record) REFERENCES advisory_documents (parent, format, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX advisory_parts_record ON advisory_parts (parent, format, record);
