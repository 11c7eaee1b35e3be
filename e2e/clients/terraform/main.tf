# An organization with everything that the provider can manage, and everything that it can look up.

terraform {
  required_providers {
    chainguard = {
      source = "chainguard-dev/chainguard"
    }
  }
}

variable "text" {
  description = "What stands wherever a text can be changed in place."
  type        = string
}

variable "issuer" {
  description = "Where a user who has registered comes from."
  type        = string
}

variable "user" {
  description = "The subject of that user."
  type        = string
}

variable "expiration" {
  description = "When the invite ends, RFC 3339."
  type        = string
}

locals {
  # What may be left out is there at first, and gone after a change.
  first = var.text == "first"
}

resource "chainguard_group" "organization" {
  name        = "terraform"
  description = var.text
}

resource "chainguard_group" "folder" {
  parent_id   = chainguard_group.organization.id
  name        = "folder"
  description = var.text
}

resource "chainguard_role" "reader" {
  parent_id    = chainguard_group.organization.id
  name         = "reader"
  description  = var.text
  capabilities = local.first ? ["groups.list", "repo.list"] : ["groups.list", "tag.list", "identity.list"]
}

resource "chainguard_identity" "literal" {
  parent_id   = chainguard_group.folder.id
  name        = "literal"
  description = var.text
  claim_match {
    issuer   = "https://issuer.example.com"
    subject  = "literal-${var.text}"
    audience = "a service"
    claims   = local.first ? { "email" = "somebody@example.com", "repository" = "example" } : { "repository" = "example" }
  }
}

resource "chainguard_identity" "pattern" {
  parent_id = chainguard_group.folder.id
  name      = "pattern"
  claim_match {
    issuer           = "https://issuer.example.com"
    subject_pattern  = "^${var.text}-[0-9]{1,4}$"
    audience_pattern = ".*"
    claim_patterns   = { "ref" = "^refs/tags/v\\d+$" }
  }
}

resource "chainguard_identity" "keys" {
  parent_id   = chainguard_group.folder.id
  name        = "keys"
  description = var.text
  static {
    issuer      = "https://issuer.example.com"
    subject     = "robot"
    issuer_keys = jsonencode({ keys = [] })
    expiration  = var.expiration
  }
}

resource "chainguard_identity" "aws" {
  parent_id = chainguard_group.folder.id
  name      = "aws"
  aws_identity {
    aws_account = "123456789012"
    aws_user_id = local.first ? "AROAEXAMPLE:session" : null
    aws_arn     = local.first ? "arn:aws:sts::123456789012:assumed-role/example/session" : null

    aws_user_id_pattern = local.first ? null : "^AROAEXAMPLE:.+$"
    aws_arn_pattern     = local.first ? null : "^arn:aws:sts::123456789012:assumed-role/example/.+$"
  }
}

resource "chainguard_rolebinding" "literal" {
  identity = chainguard_identity.literal.id
  group    = chainguard_group.organization.id
  role     = local.first ? data.chainguard_role.viewer.items[0].id : chainguard_role.reader.id
}

resource "chainguard_identity_provider" "login" {
  parent_id    = chainguard_group.organization.id
  name         = "login"
  description  = var.text
  default_role = data.chainguard_role.viewer.items[0].id
  oidc {
    issuer            = "https://login.example.com"
    client_id         = "client-${var.text}"
    client_secret     = "secret-${var.text}"
    additional_scopes = local.first ? ["profile", "email"] : ["email"]
  }
}

resource "chainguard_group_invite" "viewer" {
  group      = chainguard_group.organization.id
  role       = data.chainguard_role.viewer.items[0].id
  expiration = var.expiration
  email      = "somebody@example.com"
}

resource "chainguard_account_associations" "folder" {
  name        = "clouds"
  description = var.text
  group       = chainguard_group.folder.id
  amazon {
    account = "123456789012"
  }
  azure {
    tenant_id  = "12345678-1234-1234-1234-123456789012"
    client_ids = { "${var.text}" = "11111111-1111-1111-1111-111111111111" }
  }
  dynamic "google" {
    for_each = local.first ? [1] : []
    content {
      project_id     = "example"
      project_number = "213411233"
    }
  }
}

resource "chainguard_subscription" "changes" {
  parent_id = chainguard_group.organization.id
  sink      = "https://sink.example.com/${var.text}"
}

resource "chainguard_image_repo" "nginx" {
  parent_id   = chainguard_group.folder.id
  name        = "nginx"
  description = var.text
  readme      = "# nginx\n\n${var.text}\n"
  tier        = "APPLICATION"
  bundles     = local.first ? ["featured", "base"] : ["base"]
  aliases     = ["nginx:latest", "library/nginx:latest"]
  active_tags = local.first ? ["latest", "1.29"] : null
}

resource "chainguard_image_tag" "latest" {
  repo_id    = chainguard_image_repo.nginx.id
  name       = "latest"
  bundles    = ["base"]
  deprecated = !local.first
}

resource "chainguard_image_repo_deployment" "nginx" {
  id = chainguard_image_repo.nginx.id
  charts = local.first ? [
    { repo = "oci://charts.example.com/nginx", source = "https://example.com/nginx" },
    { repo = "https://charts.example.com/", chart = "nginx" },
  ] : [{ repo = "https://charts.example.com/", chart = "nginx" }]
}

data "chainguard_role" "viewer" {
  name   = "viewer"
  parent = "/"
}

data "chainguard_role" "reader" {
  name   = chainguard_role.reader.name
  parent = chainguard_group.organization.id
}

data "chainguard_group" "organization" {
  name = chainguard_group.organization.name
}

data "chainguard_group" "folder" {
  id = chainguard_group.folder.id
}

data "chainguard_identity" "user" {
  issuer  = var.issuer
  subject = var.user
}

data "chainguard_image_repo" "nginx" {
  parent_id  = chainguard_group.folder.id
  name       = "nginx"
  depends_on = [chainguard_image_repo.nginx]
}

data "chainguard_image_repos" "everywhere" {
  parent_id  = "/"
  depends_on = [chainguard_image_repo.nginx]
}

data "chainguard_versions" "nginx" {
  package = "nginx"
}

output "found" {
  value = {
    reader       = data.chainguard_role.reader.items[0].id == chainguard_role.reader.id
    organization = data.chainguard_group.organization.id == chainguard_group.organization.id
    folder       = data.chainguard_group.folder.name == "folder"
    user         = length(data.chainguard_identity.user.id) == 40
    readme       = data.chainguard_image_repo.nginx.items[0].readme == chainguard_image_repo.nginx.readme
    versions     = data.chainguard_versions.nginx.versions.latest_version == ""
  }
}
