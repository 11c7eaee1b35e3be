-- The texts that introduce repositories; which one a repository follows, so that those who follow one are found; and the newest tags of a
-- repository among those of a form.
ALTER TABLE repos ADD COLUMN readme TEXT NOT NULL DEFAULT '';
ALTER TABLE repos ADD COLUMN source TEXT;
UPDATE repos SET source = json_extract(sync_config, '$.source') WHERE sync_config IS NOT NULL;
CREATE INDEX repos_source ON repos (source, uid);
CREATE INDEX tags_parent_forms ON tags (parent, forms, updated_at, uid);
