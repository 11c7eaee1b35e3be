//! The pages of docs/recipes work as written, with tokens of the shape that they show.
//!
//! A server in development mode stands for the server of the pages, and its identity provider for the issuer of each. A block marked
//! `json token` has the claims of the token from now on, `json claims` changes some of them, `sh run` is what the owner types, and
//! `sh job`, or what a `yaml job` tells the platform to run, is what the workload does: in a home of its own, with what its platform
//! gives to jobs. The README's own commands come first.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
};

use super::{
    ADDRESS, can_run, command,
    page::{Page, Step, blocks},
    place::Place,
    there_is,
};

/// The server that the pages speak of.
const SERVER: &str = "https://provost.example.com";

/// Starts the server, logs its owner in, and makes the programs and files that platforms give to jobs. `{requests}` is the address of
/// the stand-in for GitHub's token requests.
const BEFORE: &str = r#"
provost serve --dev --listen 127.0.0.1:8080 > log 2>&1 &
until curl -sf -o ready http://127.0.0.1:8080/readyz; do sleep 0.1; done
provost dev id-token --subject admin | provost auth login --identity-token - -o id > login
cat > mint <<'END'
#!/bin/bash
# mint [AUDIENCE]: a token with the claims in token.json
set -euo pipefail
cd "$(dirname "$0")"
jq -c --arg aud "${1:-}" '
  {sub, aud: (if $aud == "" then .aud else $aud end), claims: del(.iss, .sub, .aud, .iat, .nbf, .exp)}
' token.json | curl -sSf http://127.0.0.1:8080/dev/idp/mint -d @- | jq -r .token
END
cat > buildkite-agent <<'END'
#!/bin/bash
[ "$1 $2 $3" = 'oidc request-token --audience' ] && exec "$(dirname "$0")/mint" "$4"
END
cat > kubectl <<'END'
#!/bin/bash
[ "$*" = 'get --raw /openid/v1/jwks' ] && exec curl -sSf http://127.0.0.1:8080/dev/idp/jwks
END
cat > job <<'END'
HOME=$(mktemp -d -p "$PWD") && export HOME
export ACTIONS_ID_TOKEN_REQUEST_URL='http://{requests}/token?api-version=2.0' ACTIONS_ID_TOKEN_REQUEST_TOKEN=of-the-job
PROVOST_IDENTITY_TOKEN=$(./mint) && export PROVOST_IDENTITY_TOKEN
mkdir -p projected && printf %s "$PROVOST_IDENTITY_TOKEN" > projected/token
END
chmod +x mint buildkite-agent kubectl
"#;

/// Where pages say that the platform keeps a token.
const FILES: [&str; 2] = ["/var/run/secrets/provost/token", "/run/svid/provost.jwt"];

#[test]
fn they_work_as_written() {
    if !can_run() || !there_is("jq") {
        assert!(std::env::var_os("PROVOST_TEST_REQUIRE").is_none(), "the recipes need jq");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/recipes");
    let readme = fs::read_to_string(folder.join("README.md")).expect("the README");
    let mut names: Vec<_> = fs::read_dir(&folder).expect("the pages").map(|entry| entry.expect("an entry").path()).collect();
    names.retain(|path| path.file_name().is_some_and(|name| name != "README.md"));
    assert!(names.len() >= 5, "there are {} recipes", names.len());
    for path in names {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(readme.contains(&format!("]({name})")), "the README does not name {name}");
        eprintln!("{}", path.display());
        recipe(&readme, &fs::read_to_string(&path).expect("text"));
    }
}

/// Runs a page after the README.
fn recipe(readme: &str, text: &str) {
    let place = Place::new();
    let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").to_string();
    let requests = token_requests(place.path());
    let mut page = page(&[readme, &here(text)].join("\n"));
    if let Some(first) = page.steps.first_mut() {
        first.commands = format!("{}{}", BEFORE.replace("{requests}", &requests), first.commands);
    }
    let jobs = page.steps.iter().filter(|step| step.commands.contains("\n. ./job\n"));
    assert!(jobs.count() >= 2, "a job that is let in, and one that is not");
    assert!(page.steps.iter().any(|step| step.answer.contains("does not accept this token")), "a refusal");
    super::run(&page, &place, &free);
}

/// The page as if it were about the server under test and its identity provider.
fn here(text: &str) -> String {
    let token = blocks(text).into_iter().find(|(kind, _)| *kind == "json token").expect("the claims of a token").1;
    let claims: serde_json::Value = serde_json::from_str(&token).expect("JSON");
    let issuer = claims.get("iss").and_then(serde_json::Value::as_str).expect("an issuer");
    let server = format!("http://{ADDRESS}");
    let text = text.replace(issuer, &format!("{server}/dev/idp")).replace(SERVER, &server);
    FILES.iter().fold(text, |text, file| text.replace(file, "projected/token"))
}

/// What a page tells people to do, as steps of one script.
fn page(text: &str) -> Page {
    let (mut steps, mut before) = (Vec::<Step>::new(), String::new());
    for (kind, block) in blocks(text) {
        let commands = match kind {
            "json token" => {
                before = format!("{before}cat > token.json <<'END'\n{block}END\n");
                continue;
            }
            "json claims" => {
                before = format!(
                    "{before}jq -s '.[0] * .[1]' token.json /dev/stdin > changed <<'END'\n{block}END\nmv changed token.json\n"
                );
                continue;
            }
            "sh run" => block,
            "sh job" => job(&block),
            "yaml job" => job(&scripts(&block)),
            "text" => {
                steps.last_mut().expect("a step before what it prints").answer.push_str(&block);
                continue;
            }
            _ => continue,
        };
        steps.push(Step { commands: format!("{}{commands}", std::mem::take(&mut before)), answer: String::new() });
    }
    Page { start: String::new(), steps }
}

/// What runs as a job.
fn job(commands: &str) -> String {
    format!("(\n. ./job\n{commands})\n")
}

/// The texts of a YAML document that stand as they are below a `|`.
fn scripts(yaml: &str) -> String {
    let (mut found, mut below) = (String::new(), None);
    for line in yaml.lines() {
        let depth = line.len() - line.trim_start().len();
        match below {
            Some(above) if depth > above || line.trim().is_empty() => found.extend([line.trim_start(), "\n"]),
            _ => below = line.ends_with('|').then_some(depth),
        }
    }
    found
}

/// Answers the requests of jobs of GitHub Actions for a token from now on, with tokens that `mint` in this folder makes. Tells the
/// address.
fn token_requests(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let folder = folder.to_owned();
    thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer_token_request(stream, &folder)));
    address
}

fn answer_token_request(mut stream: TcpStream, folder: &Path) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(Result::ok);
    let head: Vec<_> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
    let allowed = head.iter().any(|line| line.eq_ignore_ascii_case("authorization: bearer of-the-job"));
    let audience =
        head.first().and_then(|line| line.split(' ').nth(1)?.split_once("&audience=").map(|(_, text)| text.to_owned()));
    let (status, body) = match audience.filter(|_| allowed) {
        None => ("403 Forbidden", String::new()),
        Some(audience) => {
            let minted = command("bash", folder).arg(folder.join("mint")).arg(audience).output().expect("bash runs");
            let token = String::from_utf8(minted.stdout).expect("text");
            ("200 OK", serde_json::json!({ "count": 1, "value": token.trim() }).to_string())
        }
    };
    let length = body.len();
    // Whoever has gone needs no answer.
    let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
}

#[test]
fn jobs_are_what_platforms_run() {
    let yaml = "on: push\njobs:\n  one:\n    - run: |\n        a\n        b \\\n          c\n\n    - name: two\n      run: d\n";
    assert_eq!(scripts(yaml), "a\nb \\\nc\n\n");
    let page =
        page("```json token\n{}\n```\n```sh run\nx\n```\n```text\n1\n```\n```json claims\n{\"a\":1}\n```\n```sh job\ny\n```\n");
    let [first, second] = page.steps.as_slice() else { panic!("two steps") };
    assert_eq!((first.commands.as_str(), first.answer.as_str()), ("cat > token.json <<'END'\n{}\nEND\nx\n", "1\n"));
    assert!(second.commands.starts_with("jq -s") && second.commands.ends_with("(\n. ./job\ny\n)\n"), "{}", second.commands);
}
