-- What everybody may see without logging in: a repository, or all of a group. A program that knows neither column keeps both.
ALTER TABLE groups ADD COLUMN public INTEGER NOT NULL DEFAULT 0 CHECK (public IN (0, 1));
ALTER TABLE repos ADD COLUMN public INTEGER NOT NULL DEFAULT 0 CHECK (public IN (0, 1));
