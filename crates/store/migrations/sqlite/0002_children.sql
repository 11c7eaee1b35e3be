-- How many rows of each noun live directly in each place, beside how many live below it.
ALTER TABLE counts ADD COLUMN children INTEGER NOT NULL DEFAULT 0 CHECK (children >= 0);

UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM groups INDEXED BY groups_parent GROUP BY parent) AS c
    WHERE counts.noun = 'group' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM identities INDEXED BY identities_parent GROUP BY parent) AS c
    WHERE counts.noun = 'identity' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM roles INDEXED BY roles_parent GROUP BY parent) AS c
    WHERE counts.noun = 'role' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM role_bindings INDEXED BY role_bindings_parent GROUP BY parent) AS c
    WHERE counts.noun = 'role_binding' AND counts.prefix = c.parent;
UPDATE counts SET children = c.n FROM (SELECT parent, count(*) AS n FROM repos INDEXED BY repos_parent GROUP BY parent) AS c
    WHERE counts.noun = 'repo' AND counts.prefix = c.parent;
