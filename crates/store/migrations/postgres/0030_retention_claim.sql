-- The number that whoever marks old entries has claimed last: only its holder marks, and has go what it has marked. Marks with other
-- numbers than `number` are of those who gave up, and count for nothing.
ALTER TABLE retention ADD COLUMN claimed BIGINT;
