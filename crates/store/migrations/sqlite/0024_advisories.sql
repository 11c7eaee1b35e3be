-- What groups say about vulnerabilities in what they ship. `searched` and what stands behind it follow from the rest and are there for
-- conditions; `withdrawn_at` is 0 for what stands, `fixed_at` for what is not fixed.
CREATE TABLE advisories (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    advisory_id TEXT NOT NULL,
    artifact_name TEXT NOT NULL,
    artifact_type TEXT NOT NULL,
    artifact_architecture TEXT NOT NULL,
    component_name TEXT,
    component_location TEXT,
    component_type TEXT,
    aliases TEXT NOT NULL,
    author TEXT NOT NULL,
    legacy_id TEXT,
    events TEXT NOT NULL,
    withdrawn_at INTEGER NOT NULL,
    searched TEXT NOT NULL,
    event_types INTEGER NOT NULL,
    review_states INTEGER NOT NULL,
    latest_event_type INTEGER NOT NULL,
    fixed_at INTEGER NOT NULL,
    published INTEGER NOT NULL CHECK (published IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX advisories_advisory_id_key ON advisories (advisory_id);
CREATE INDEX advisories_legacy_id ON advisories (legacy_id, uid);
CREATE INDEX advisories_artifact_name ON advisories (artifact_name, uid);
CREATE INDEX advisories_component_name ON advisories (component_name, uid);
CREATE INDEX advisories_created_at ON advisories (created_at, uid);
CREATE INDEX advisories_org_created_at ON advisories (org, created_at, uid);
CREATE INDEX advisories_parent ON advisories (parent, uid);
CREATE INDEX advisories_parent_created_at ON advisories (parent, created_at, uid);
CREATE INDEX advisories_updated_at ON advisories (updated_at, uid);
CREATE INDEX advisories_org_updated_at ON advisories (org, updated_at, uid);
CREATE INDEX advisories_parent_updated_at ON advisories (parent, updated_at, uid);

-- The aliases of advisories, and who wrote and reviewed their events, each once.
CREATE TABLE advisory_words (
    kind TEXT NOT NULL,
    word TEXT NOT NULL,
    of_uid TEXT NOT NULL REFERENCES advisories (uid),
    PRIMARY KEY (kind, word, of_uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX advisory_words_of_uid ON advisory_words (of_uid);

-- What databases say about vulnerabilities. `withdrawn_at` is 0 for what stands.
CREATE TABLE vulnerabilities (
    uid TEXT NOT NULL PRIMARY KEY,
    parent TEXT NOT NULL REFERENCES groups (uid) CHECK (parent = substr(uid, 1, length(uid) - 17)),
    org TEXT NOT NULL CHECK (org = substr(uid, 1, 40)),
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    summary TEXT NOT NULL,
    details TEXT NOT NULL,
    links TEXT NOT NULL,
    severities TEXT NOT NULL,
    withdrawn_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX vulnerabilities_parent_name_key ON vulnerabilities (parent, name);
CREATE INDEX vulnerabilities_name ON vulnerabilities (name, uid);
CREATE INDEX vulnerabilities_created_at ON vulnerabilities (created_at, uid);
CREATE INDEX vulnerabilities_org_name ON vulnerabilities (org, name, uid);
CREATE INDEX vulnerabilities_org_created_at ON vulnerabilities (org, created_at, uid);
CREATE INDEX vulnerabilities_parent ON vulnerabilities (parent, uid);
CREATE INDEX vulnerabilities_parent_name ON vulnerabilities (parent, name, uid);
CREATE INDEX vulnerabilities_parent_created_at ON vulnerabilities (parent, created_at, uid);

-- What everybody may see begins with the few groups that are public.
CREATE INDEX groups_public ON groups (uid) WHERE public;
