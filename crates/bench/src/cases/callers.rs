//! Pages that callers see who hold rights at one, ten or a thousand places of 2,000, and pages of one name.

use serde_json::json;

use super::{Pace, lists::ORDERS};
use crate::{
    Result,
    load::{
        asker::Asker,
        http::{self, Connection},
    },
    measure::median,
    reference::provider::Providers,
    report::{Budget, Row},
    world::{Filled, SHARED, Scattered},
};

/// At how many places callers hold rights.
const PLACES: [usize; 3] = [1, 10, 1000];

/// A caller: a token, and how many repositories it sees.
struct Caller {
    places: usize,
    token: String,
    sees: u64,
}

/// Measures the page in the middle of what each caller sees, in every order, and the middle of what has one name. None may take
/// as long as `limit`, in milliseconds; cases begin with `prefix`.
pub(crate) async fn measure(filled: &Filled, scattered: &Scattered, pace: Pace, prefix: &str, limit: f64) -> Result<Vec<Row>> {
    let (callers, mut asker) = (callers(filled, scattered).await?, Asker::open(filled.server.address).await?);
    let mut rows = Vec::new();
    let mut add = async |case: String, path: String, token: &str| {
        let mut figures = Vec::with_capacity(pace.rounds);
        for _ in 0..=pace.rounds {
            figures.push(asker.millis(pace.slice / 10, || http::get(&path, token)).await?);
        }
        // The first time does not count.
        let figure = median(figures.split_off(1));
        rows.push(Row::alone(format!("{prefix}{case} (ms)"), figure, Budget::Below(limit)));
        Result::Ok(())
    };
    for Caller { places, token, sees } in &callers {
        for order in ORDERS {
            let skip = sees / 2;
            let path = format!("/registry/v2beta1/repos?orderBy={order}&skip={skip}");
            add(format!("page at {skip} of {sees} rows by {order}, {places} bindings"), path, token).await?;
        }
        let skip = places / 2;
        let path = format!("/registry/v2beta1/repos?name={SHARED}&orderBy=created_at&skip={skip}");
        add(format!("page at {skip} of {places} rows of one name, {places} bindings"), path, token).await?;
    }
    Ok(rows)
}

/// Makes them over the port, as the organization's owner, and sees that each gets the total that it should.
async fn callers(filled: &Filled, scattered: &Scattered) -> Result<Vec<Caller>> {
    let (server, providers) = (&filled.server, Providers::serve().await?);
    let (issuer, owner, now) = (providers.url(), &server.owner, server.clock.now().seconds());
    let mut connection = Connection::open(server.address, Vec::new()).await?;
    let roles = connection.json(http::get("/iam/v2beta1/roles?name=viewer", owner)).await?;
    let viewer = http::text(&roles, "/roles/0/uid")?;
    let mut callers = Vec::new();
    for places in PLACES {
        let subject = format!("a caller with {places} bindings");
        let body = json!({"name": subject, "claimMatch": {"issuer": issuer, "subject": subject}}).to_string();
        let path = format!("/iam/v2beta1/identities/{}", server.organization);
        let identity = http::text(&connection.json(http::post(&path, owner, &body)).await?, "/uid")?;
        let binding = json!({"identityUid": identity, "roleUid": viewer}).to_string();
        // Every second folder, so that no two places are beside each other.
        for folder in scattered.folders.iter().step_by(2).take(places) {
            connection.json(http::post(&format!("/iam/v2beta1/roleBindings/{folder}"), owner, &binding)).await?;
        }
        let claims = json!({"iss": issuer, "sub": subject, "aud": server.base_url, "iat": now, "exp": now + 3600});
        let exchanged = connection.json(http::exchange(&identity, &providers.sign(&claims)?)).await?;
        let token = http::text(&exchanged, "/token")?;
        let sees = scattered.each * u64::try_from(places).unwrap_or(u64::MAX);
        let page = connection.json(http::get("/registry/v2beta1/repos?pageSize=1", &token)).await?;
        if http::text(&page, "/totalCount")? != sees.to_string() {
            return Err(crate::Error::new(format!("{subject} should see {sees} repositories: {page}")));
        }
        callers.push(Caller { places, token, sees });
    }
    Ok(callers)
}
