-- How many rows of each noun live directly in each place, beside how many live below it.
ALTER TABLE counts ADD COLUMN children BIGINT NOT NULL DEFAULT 0 CHECK (children >= 0);

UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM groups GROUP BY parent) AS c
    WHERE counts.noun = 'group' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM identities GROUP BY parent) AS c
    WHERE counts.noun = 'identity' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM roles GROUP BY parent) AS c
    WHERE counts.noun = 'role' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM role_bindings GROUP BY parent) AS c
    WHERE counts.noun = 'role_binding' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM repos GROUP BY parent) AS c
    WHERE counts.noun = 'repo' AND counts.prefix = c.parent;
