-- How much an organization may have, as JSON. A program that does not know the column keeps it, and limits nothing.
ALTER TABLE groups ADD COLUMN resource_limits TEXT NOT NULL DEFAULT '{}';
