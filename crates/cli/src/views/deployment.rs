//! Deployments: which charts deploy a repository's images.

use contract::chainguard::platform::registry::{Deployment, HelmChart};
use serde_json::{Value, json};

use crate::output::Show;

impl Show for Deployment {
    const COLUMNS: &'static [&'static str] = &["ID", "CHARTS"];

    fn id(&self) -> &str {
        &self.id
    }

    fn row(&self) -> Vec<String> {
        let charts: Vec<_> = self.charts.iter().map(|chart| format!("{} {}", chart.repo, chart.chart())).collect();
        vec![self.id.clone(), charts.iter().map(|chart| chart.trim_end()).collect::<Vec<_>>().join(", ")]
    }

    fn json(&self) -> Value {
        let chart = |chart: &HelmChart| json!({ "source": chart.source, "repo": chart.repo, "chart": chart.chart });
        json!({ "id": self.id, "charts": self.charts.iter().map(chart).collect::<Vec<_>>() })
    }
}
