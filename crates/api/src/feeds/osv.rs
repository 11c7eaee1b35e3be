//! The query API of OSV (<https://google.github.io/osv.dev/api/>).

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::Response,
};
use domain::{Error, Rule, Uidp, text::excerpt};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use services::{
    Feeds,
    vulnerabilities::feeds::{Found, Looked, Matches, Question},
};

use super::answer;

/// Longest body of a question, in bytes.
const BODY: usize = 256 << 10;

/// A question of `query`, and one of those of `querybatch`.
#[derive(Deserialize)]
struct Query {
    commit: Option<String>,
    version: Option<String>,
    package: Option<Package>,
    page_token: Option<String>,
}

#[derive(Deserialize)]
struct Package {
    name: Option<String>,
    ecosystem: Option<String>,
    purl: Option<String>,
}

#[derive(Deserialize)]
struct Batch {
    #[serde(default)]
    queries: Vec<Query>,
}

#[derive(Serialize)]
struct Answer<V> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vulns: Vec<V>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

#[derive(Serialize)]
struct Named {
    id: String,
    modified: String,
}

#[derive(Serialize)]
struct Answers {
    results: Vec<Answer<Named>>,
}

/// `POST v1/query`: the records that say that a version of a package, or a commit, is affected.
pub(super) async fn query(feeds: &Feeds, group: &Uidp, request: Request) -> Result<Response<Body>, Error> {
    let question = question(read(request).await?, "")?;
    let matches = feeds.matches(group, vec![question]).await?.pop().unwrap_or_default();
    let record = |found: Found| {
        let text = String::from_utf8(found.content).map_err(Error::internal)?;
        RawValue::from_string(text).map_err(Error::internal)
    };
    let Matches { found, next_page_token } = matches;
    let vulns = found.into_iter().map(record).collect::<Result<Vec<_>, Error>>()?;
    Ok(answer::json(write(&Answer { vulns, next_page_token })?))
}

/// `POST v1/querybatch`: ids and times of the records for each of the questions, in their order.
pub(super) async fn query_batch(feeds: &Feeds, group: &Uidp, request: Request) -> Result<Response<Body>, Error> {
    let batch: Batch = read(request).await?;
    let questions = batch.queries.into_iter().enumerate();
    let questions = questions.map(|(index, query)| question(query, &format!("queries[{index}]."))).collect::<Result<_, _>>()?;
    let answer = |Matches { found, next_page_token }| {
        let vulns = found.into_iter().map(|Found { id, modified, .. }| Named { id, modified }).collect();
        Answer { vulns, next_page_token }
    };
    let results = feeds.matches(group, questions).await?.into_iter().map(answer).collect();
    Ok(answer::json(write(&Answers { results })?))
}

/// `GET v1/vulns/ID`: the record.
pub(super) async fn vulnerability(feeds: &Feeds, group: &Uidp, id: &str) -> Result<Response<Body>, Error> {
    Ok(answer::json(feeds.record(group, id).await?))
}

/// The body, which must be JSON, whatever its type says.
async fn read<T: DeserializeOwned>(request: Request) -> Result<T, Error> {
    let too_large = |_| Error::invalid(Rule::TooLarge, format!("the body is larger than {BODY} bytes, or cannot be read"));
    let body = to_bytes(request.into_body(), BODY).await.map_err(too_large)?;
    serde_json::from_slice(&body).map_err(|error| Error::invalid(Rule::Malformed, format!("the body cannot be read: {error}")))
}

fn write(answer: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(answer).map_err(Error::internal)
}

/// What is asked for.
fn question(query: Query, at: &str) -> Result<Question, Error> {
    let Query { commit, version, package, page_token } = query;
    let text = |text: Option<String>| text.filter(|text| !text.is_empty());
    let Package { name, ecosystem, purl } = package.unwrap_or(Package { name: None, ecosystem: None, purl: None });
    let (commit, version, name, ecosystem) = (text(commit), text(version), text(name), text(ecosystem));
    let looked = match text(purl) {
        None => Looked { name: name.unwrap_or_default(), ecosystem, version, commit },
        Some(_) if name.is_some() || ecosystem.is_some() => {
            return Err(Error::field(format!("{at}package"), "package must have a purl, or name and ecosystem"));
        }
        Some(purl) => {
            let unknown = || {
                let description = format!("package.purl must be the package URL of a known ecosystem, and is {}", excerpt(&purl));
                Error::field(format!("{at}package.purl"), description)
            };
            let named = Looked::of_purl(&purl).ok_or_else(unknown)?;
            if named.version.is_some() && version.is_some() {
                return Err(Error::field(format!("{at}version"), "version must not be set beside that of package.purl"));
            }
            Looked { version: named.version.clone().or(version), commit, ..named }
        }
    };
    Ok(Question { looked, page_token: page_token.unwrap_or_default() })
}
