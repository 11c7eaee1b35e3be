-- Whose logins an issuer's tokens are. NULL in what programs wrote that do not know these columns, until it changes.
ALTER TABLE identity_providers ADD COLUMN issuer TEXT;
ALTER TABLE identity_providers ADD COLUMN client_id TEXT;
UPDATE identity_providers SET issuer = json_extract(oidc, '$.issuer'), client_id = json_extract(oidc, '$.client_id');
CREATE INDEX identity_providers_issuer ON identity_providers (issuer, client_id, parent);
