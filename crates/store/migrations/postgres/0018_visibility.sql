-- What everybody may see without logging in: a repository, or all of a group. A program that knows neither column keeps both.
ALTER TABLE groups ADD COLUMN public BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE repos ADD COLUMN public BOOLEAN NOT NULL DEFAULT FALSE;
