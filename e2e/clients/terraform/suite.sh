# The official provider, unmodified: part of ../run. Its own page says that repositories and tags are not deleted by it.

# Everything that the provider manages and looks up is made, changed, imported and destroyed by OpenTofu, or by what
# PROVOST_TEST_TERRAFORM names, and after each step a plan finds nothing to do. With arguments for `go test`: the provider's own
# acceptance tests instead, by Terraform: OpenTofu does not read the names that they give providers.
terraform_suite() {
  needs go curl || return 0
  binary
  program=tofu
  [ ${#args[@]} -eq 0 ] || program=terraform
  program=${PROVOST_TEST_TERRAFORM:-$program}
  case $program in
  tofu) install_tofu ;;
  terraform) built terraform github.com/hashicorp/terraform@v1.14.0 ;;
  *) fail "PROVOST_TEST_TERRAFORM is neither tofu nor terraform" ;;
  esac
  serve --dev --listen 127.0.0.1:0
  # A user, whose token lies where the command line, the SDK and the provider look for it.
  export XDG_CACHE_HOME=$tmp/cache PROVOST_API=$API CHAINGUARD_CONSOLE_API=$API
  upstream=$("$PROVOST" dev id-token --subject alice)
  "$PROVOST" auth register --identity-token "$upstream" >&2
  "$PROVOST" auth login --identity-token "$upstream" >&2
  if [ ${#args[@]} -gt 0 ]; then acceptance; else lifecycle; fi
}

# pinned FOLDER PACKAGE: installs the program that the module in the folder pins.
pinned() {
  (cd "$here/terraform/$1" && GOBIN=$tools go install "$2")
}

install_tofu() {
  pinned tofu github.com/opentofu/opentofu/cmd/tofu
}

install_provider() {
  pinned provider github.com/chainguard-dev/terraform-provider-chainguard
}

# What the suite builds first.
terraform_programs() {
  install_tofu
  install_provider
}

# built PROGRAM MODULE@VERSION: builds the program from its own sources, where `go install` refuses what its module replaces.
built() {
  [ ! -x "$tools/$1" ] || return 0
  local sources
  sources=$(go mod download -json "$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp -r "$sources" "$tmp/$1"
  chmod -R u+w "$tmp/$1"
  (cd "$tmp/$1" && go build -o "$tools/$1" .)
}

# terraform ARGUMENT…: what it says is shown when it fails.
terraform() {
  "$tools/$program" "$@" >"$tmp/told" 2>&1 || { cat "$tmp/told" >&2; fail "$program $*"; }
  cat "$tmp/told"
}

# uid ADDRESS: of what is managed under that address.
uid() {
  terraform state show -no-color "$1" | sed -n 's/^ *id *= "\(.*\)"$/\1/p'
}

# stays: a plan finds nothing left to do.
stays() {
  terraform plan -detailed-exitcode >/dev/null
  claims=$((claims + 1))
}

# mirrored_provider: TF_CLI_CONFIG_FILE says where the provider is, which is installed where it is missing.
mirrored_provider() {
  local registry place
  install_provider
  for registry in registry.opentofu.org registry.terraform.io; do
    place=$tmp/mirror/$registry/chainguard-dev/chainguard/0.4.1/$(go env GOOS)_$(go env GOARCH)
    mkdir -p "$place"
    cp "$tools/terraform-provider-chainguard" "$place/terraform-provider-chainguard_v0.4.1"
  done
  echo "provider_installation { filesystem_mirror { path = \"$tmp/mirror\" } }" >"$tmp/terraformrc"
  export TF_CLI_CONFIG_FILE=$tmp/terraformrc
}

lifecycle() {
  local place address organization repo
  mirrored_provider
  mkdir "$tmp/work"
  cp "$here/terraform/main.tf" "$tmp/work"
  cd "$tmp/work"
  export TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
  export TF_CLI_ARGS_apply=-no-color TF_CLI_ARGS_destroy=-no-color TF_CLI_ARGS_import=-no-color TF_CLI_ARGS_plan=-no-color
  export TF_VAR_issuer=$API/dev/idp TF_VAR_user=alice TF_VAR_text=first TF_VAR_expiration
  TF_VAR_expiration=$(date -u -d '+7 days' +%Y-%m-%dT%H:%M:%SZ)

  terraform init >/dev/null
  # Who makes an organization logs in anew, to be its owner.
  TF_CHAINGUARD_IDENTITY_TOKEN=$upstream terraform apply -auto-approve >/dev/null
  stays
  same "$(terraform output -json found | grep -o true | wc -l)" 6
  organization=$(uid chainguard_group.organization)
  TF_VAR_text=second
  terraform apply -auto-approve >/dev/null
  stays
  same "$(uid chainguard_group.organization)" "$organization"
  # What cannot be read again differs after an import: the secret of an identity provider, and when an invite ends.
  for address in $(terraform state list | grep -v -e ^data -e identity_provider -e group_invite); do
    place=$(uid "$address")
    terraform state rm "$address" >/dev/null
    terraform import "$address" "$place" >/dev/null
    claims=$((claims + 1))
  done
  stays

  repo=$(uid chainguard_image_repo.nginx)
  terraform destroy -auto-approve -target chainguard_image_repo_deployment.nginx >/dev/null
  terraform state rm chainguard_image_repo.nginx chainguard_image_tag.latest >/dev/null
  "$PROVOST" images repos delete "$repo" --yes
  terraform destroy -auto-approve >/dev/null
  same "$(terraform state list)" ''
  says '"code":5' curl -sS -H "Authorization: Bearer $OPERATOR" "$API/iam/v2beta1/groups/$organization"
  echo "$claims claims hold"
}

acceptance() {
  local organization
  organization=$("$PROVOST" iam organizations create acceptance --output id)
  TF_ACC_REPO_ID=$("$PROVOST" images repos create repo --parent "$organization" --output id)
  export TF_ACC_REPO_ID TF_ACC=1 TF_ACC_CONSOLE_API=$API TF_ACC_AUDIENCE=$API TF_ACC_ISSUER=$API TF_ACC_GROUP_ID=$organization
  export TF_ACC_TERRAFORM_PATH=$tools/$program TF_CHAINGUARD_IDENTITY_TOKEN=$upstream
  cd "$here/terraform/provider"
  # One test wants a token from a public issuer.
  go test -count=1 -skip TestAccResourceIdentityUsage "${args[@]}" github.com/chainguard-dev/terraform-provider-chainguard/internal/provider
}
