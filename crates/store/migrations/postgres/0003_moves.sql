-- Where the row of a change stood before its commit, and where it stands after it; its identifier tells the rest. Both are
-- NULL in changes of what is in no list, and in those of programs that do not know these columns.
ALTER TABLE changes ADD COLUMN from_name TEXT COLLATE "C";
ALTER TABLE changes ADD COLUMN from_created_at BIGINT;
ALTER TABLE changes ADD COLUMN to_name TEXT COLLATE "C";
ALTER TABLE changes ADD COLUMN to_created_at BIGINT;
