-- Whose logins an issuer's tokens are. NULL in what programs wrote that do not know these columns, until it changes.
ALTER TABLE identity_providers ADD COLUMN issuer TEXT COLLATE "C";
ALTER TABLE identity_providers ADD COLUMN client_id TEXT COLLATE "C";
UPDATE identity_providers SET issuer = oidc::json ->> 'issuer', client_id = oidc::json ->> 'client_id';
CREATE INDEX identity_providers_issuer ON identity_providers (issuer, client_id, parent);
