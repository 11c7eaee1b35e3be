//! `provost config view`

use clap::Args;
use serde_json::{Value, json};

use crate::{
    config::{
        self,
        server::{Default, Effective, ServeFlags},
    },
    exit::Failure,
    global::Global,
    output::Show,
};

#[derive(Debug, Args)]
pub(crate) struct View {
    /// Only settings that differ from the default
    #[arg(long)]
    diff: bool,
    #[command(flatten)]
    flags: ServeFlags,
}

impl View {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let loaded = config::server::load(&self.flags.0)?;
        let lines = loaded.effective.iter().map(|effective| Line::of(effective, loaded.settings.dev));
        let lines: Vec<_> = lines.filter(|line| !self.diff || line.value != line.default).collect();
        global.output.list(&lines)
    }
}

/// A setting as it is shown.
struct Line {
    key: &'static str,
    value: String,
    default: String,
    from: String,
}

impl Line {
    fn of(Effective { key, texts, origin }: &Effective, dev: bool) -> Self {
        let default = match key.default {
            Default::None(what) => format!("({what})"),
            Default::Is(_) | Default::InDev(..) => key.default_texts(dev).unwrap_or_default().join(", "),
        };
        let value = match texts {
            Some(_) if key.secret => "[secret]".to_owned(),
            Some(texts) => texts.join(", "),
            None => default.clone(),
        };
        Self { key: key.path, value, default, from: origin.to_string() }
    }
}

impl Show for Line {
    const COLUMNS: &'static [&'static str] = &["KEY", "VALUE", "FROM", "DEFAULT"];

    fn id(&self) -> &str {
        self.key
    }

    fn row(&self) -> Vec<String> {
        vec![self.key.to_owned(), self.value.clone(), self.from.clone(), self.default.clone()]
    }

    fn json(&self) -> Value {
        json!({ "key": self.key, "value": self.value, "from": self.from, "default": self.default })
    }
}
