-- Codes under keys that follow from the key-encryption key. Of the audit log: an entry that has one vouches for itself, for the changes and
-- events of its commit, and for what came before; the last one stands beside the number of the last commit. Of a signing key: its row.
ALTER TABLE audit ADD COLUMN code BLOB;
ALTER TABLE revision ADD COLUMN head BLOB;
ALTER TABLE signing_keys ADD COLUMN code BLOB;
-- What a change has made of the columns that rights follow from: their SHA-256.
ALTER TABLE changes ADD COLUMN digest BLOB;
