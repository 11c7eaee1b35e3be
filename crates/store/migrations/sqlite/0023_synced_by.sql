-- Who has made a repository follow its source: what that may see, the repository shows. Nobody is known of those from before.
ALTER TABLE repos ADD COLUMN synced_by TEXT;
