-- The SCIM access of identity providers, as JSON with the digests of its tokens; NULL where there never was a token.
ALTER TABLE identity_providers ADD COLUMN scim TEXT;
