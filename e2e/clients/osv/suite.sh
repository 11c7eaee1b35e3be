# osv-scanner, unmodified, with what this server publishes as its database, and the library that trivy and grype read OpenVEX with: part of
# ../run.

# record ID MODULE FIXED [FIELD]: a record about a Go module, which is affected before that version.
record() {
  cat >"$tmp/records/$1.json" <<END
{"schema_version": "1.3.1", "id": "$1", "modified": "2024-01-02T00:00:00Z", "published": "2024-01-01T00:00:00Z", ${4:-}
 "affected": [{"package": {"ecosystem": "Go", "name": "$2"},
               "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "$3"}]}]}]}
END
}

# scanned: what osv-scanner finds in the project, from the database that was fetched and nothing else, an id in each line. It exits with 1
# where it finds something.
scanned() {
  local told status=0
  told=$("$tools/osv-scanner" scan --experimental-offline --format json --lockfile "$tmp/project/go.mod" 2>"$tmp/scan.log") || status=$?
  [ "$status" -le 1 ] || { cat "$tmp/scan.log" >&2; fail "osv-scanner: $status"; }
  jq -r '.results[]?.packages[]?.vulnerabilities[]?.id' <<<"$told" | sort
}

# fetch FLAG…: the database as it is now; prints the status.
fetch() {
  mkdir -p "$OSV_SCANNER_LOCAL_DB_CACHE_DIRECTORY/osv-scanner/Go"
  curl -sS -w '%{http_code}\n' --etag-save "$tmp/etag" --etag-compare "$tmp/etag" "$@" \
    -o "$tmp/all.zip" "$API/osv/$org/Go/all.zip"
  [ ! -s "$tmp/all.zip" ] || mv "$tmp/all.zip" "$OSV_SCANNER_LOCAL_DB_CACHE_DIRECTORY/osv-scanner/Go/all.zip"
}

# repository: fetches the repository of OpenVEX documents, from where its manifest says.
repository() {
  local archive
  archive=$(curl -sS "${as_operator[@]}" "$API/vex/$org/.well-known/vex-repository.json" | jq -r '.versions[0].locations[0].url')
  curl -sS "${as_operator[@]}" -o "$tmp/vex.zip" "$archive"
}

# says_vex VULNERABILITY PRODUCT: what the repository says about it.
says_vex() {
  "$tools/provost-vex" "$tmp/vex.zip" "$@"
}

osv_programs() {
  (cd "$here/osv/scanner" && GOBIN=$tools go install github.com/google/osv-scanner/cmd/osv-scanner)
  (cd "$here/osv/vex" && go build -o "$tools/provost-vex" .)
}

osv_suite() {
  needs go curl jq || return 0
  binary
  osv_programs
  serve --dev --listen 127.0.0.1:0 --advisories-self-approval=true
  local org module=example.com/vulnerable as_operator
  export OSV_SCANNER_LOCAL_DB_CACHE_DIRECTORY=$tmp/databases PROVOST_API=$API PROVOST_TOKEN=$OPERATOR
  as_operator=(-H "Authorization: Bearer $OPERATOR")
  org=$(curl -sS "${as_operator[@]}" "$API/iam/v2beta1/groups" -d '{"name": "scanned"}' | jq -r .uid)
  mkdir -p "$tmp/records" "$tmp/waiting" "$tmp/project"
  cat >"$tmp/project/go.mod" <<END
module example.com/project

go 1.21

require (
	$module v1.2.3
	example.com/other v0.9.0
)
END
  record X-2024-1 "$module" 1.2.4
  record X-2024-2 "$module" 1.2.3 # fixed in what the project has
  record X-2024-3 example.com/other 1.0.0
  record X-2024-4 example.com/absent 9.0.0
  record X-2024-5 "$module" 9.0.0 '"withdrawn": "2024-01-03T00:00:00Z",'
  "$PROVOST" advisories import "$tmp/records" --parent "$org" --approved >&2
  record X-2024-6 "$module" 9.0.0 # what nobody has approved
  mv "$tmp/records/X-2024-6.json" "$tmp/waiting"
  "$PROVOST" advisories import "$tmp/waiting" --parent "$org" >&2

  same "$(curl -sS -o "$tmp/none" -w '%{http_code}' "$API/osv/$org/Go/all.zip")" 401
  same "$(fetch "${as_operator[@]}")" 200
  same "$(scanned)" $'X-2024-1\nX-2024-3'
  # Nothing has changed, so nothing is sent; Basic with the token as its password is as good.
  same "$(fetch --user "token:$OPERATOR")" 304
  same "$(scanned)" $'X-2024-1\nX-2024-3'
  # What is fixed later is found no more, and what is approved later is found.
  record X-2024-1 "$module" 1.2.3
  "$PROVOST" advisories import "$tmp/records" --parent "$org" --approved >&2
  record X-2024-7 "$module" 2.0.0
  "$PROVOST" advisories import "$tmp/records/X-2024-7.json" --parent "$org" --approved >&2
  same "$(fetch "${as_operator[@]}")" 200
  same "$(scanned)" $'X-2024-3\nX-2024-7'
  # What is not affected is so in the version that was said, and nobody knows of others.
  cat >"$tmp/vex.json" <<END
{"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.com/vex/1", "author": "ana", "timestamp": "2024-01-01T00:00:00Z",
 "version": 1, "statements": [{"vulnerability": {"name": "CVE-2024-9"}, "products": [{"@id": "pkg:golang/$module@v1.2.3"}],
                               "status": "not_affected", "justification": "vulnerable_code_not_present"}]}
END
  "$PROVOST" advisories import "$tmp/vex.json" --parent "$org" --approved >&2
  repository
  same "$(says_vex CVE-2024-9 "pkg:golang/$module@v1.2.3")" not_affected
  same "$(says_vex CVE-2024-9 "pkg:golang/$module@v1.2.2")" ''
  same "$(says_vex X-2024-7 "pkg:golang/$module@2.0.0")" fixed
  same "$(says_vex X-2024-6 "pkg:golang/$module@9.0.0")" ''
  # A public organization is read without a token, and asked.
  curl -sS -X PUT "${as_operator[@]}" "$API/provost/registry/v1/groups/$org/visibility" -d '{"public": true}' >/dev/null
  same "$(curl -sS "$API/osv/$org/ecosystems.txt")" Go
  local query="{\"package\": {\"name\": \"$module\", \"ecosystem\": \"Go\"}, \"version\": \"1.2.3\"}"
  same "$(curl -sS "$API/osv/$org/v1/query" -d "$query" | jq -r '.vulns[].id')" X-2024-7
  same "$(curl -sS "$API/osv/$org/v1/querybatch" -d "{\"queries\": [$query]}" | jq -r '.results[].vulns[].id')" X-2024-7
  same "$(curl -sS "$API/osv/$org/v1/vulns/X-2024-3" | jq -r .affected[0].package.name)" example.com/other
  echo "$claims claims hold"
}
