-- Few roles are bound very often: without this form of the identifier PostgreSQL takes the primary key for what a role has in a place.
DROP INDEX role_bindings_role;
CREATE INDEX role_bindings_role ON role_bindings (role, uid || '');
