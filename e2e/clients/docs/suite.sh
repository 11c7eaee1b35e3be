# The pages of docs/nouns, run as they are written: part of ../run.

# docs_suite: with the command line, curl and grpcurl.
docs_suite() {
  needs python3 curl jq || return 0
  grpcurl_program || return 0
  binary
  python3 -B "$here/docs/tests.py" 2>"$tmp/told" || { cat "$tmp/told" >&2; fail "the runner's own tests"; }
  pages provost curl grpcurl
}

# docs_terraform_suite: with OpenTofu and the official provider, as they are built for the suite `terraform`.
docs_terraform_suite() {
  needs go python3 curl jq || return 0
  binary
  install_tofu
  mirrored_provider
  pages Terraform
}

# pages PROGRAM…: runs what each page has for the programs, on a server of its own.
pages() {
  local page ran blocks=0 count=0 failed=0
  # What the page of terms speaks of.
  local terms='sync-tos.v1|Terms of copies|https://example.com/terms|chainguard.platform.registry.Registry/ListSyncStatuses'
  mkdir "$tmp/bin"
  ln -s "$PROVOST" "$tmp/bin/provost"
  for page in "$root"/docs/nouns/*.md; do
    [ "${page##*/}" != README.md ] || continue
    serve --dev --listen 127.0.0.1:0 --terms "$terms"
    if ran=$(PATH=$tmp/bin:$tools:$PATH PROVOST_ADDRESS=${API#http://} PROVOST_DATA=$DATA \
      python3 -B "$here/docs/run_page.py" "$page" "$@"); then
      blocks=$((blocks + ran))
      count=$((count + (ran > 0)))
    else
      failed=$((failed + 1))
    fi
    kill "${pids[-1]}"
    wait "${pids[-1]}" || true
    unset 'pids[-1]'
  done
  [ "$failed" = 0 ] || fail "$failed pages"
  echo "$count pages, $blocks blocks"
}
