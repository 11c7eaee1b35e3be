//! Settings from the command line.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, builder::ValueParser, parser::ValueSource};

use super::{Default, Entry, Key, Kind, Origin, parse, table, variables};
use crate::config::program;

/// What the command line says about settings.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// `--config`.
    pub(super) config: Option<PathBuf>,
    values: Vec<(&'static Key, Vec<String>)>,
}

/// A flag for every setting.
#[derive(Clone, Debug)]
pub(crate) struct ServeFlags(pub(crate) Given);

/// Flags for the settings that say where the data is and whose it is, for commands that work on it themselves.
#[derive(Clone, Debug)]
pub(crate) struct DataFlags(pub(crate) Given);

const CONFIG: &str = "config";

impl Given {
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.values.iter().map(|(key, texts)| Entry { key, texts: texts.clone(), origin: Origin::Flag(key.flag) })
    }

    /// The flags of this command line that a command beside the server needs as well, ready for a shell.
    pub(crate) fn find_data_again(&self) -> String {
        let config = self.config.iter().map(|path| ("config", path.display().to_string()));
        let data = self.values.iter().filter(|(key, _)| key.path == "data").map(|(key, texts)| (key.flag, texts.join(",")));
        config
            .chain(data)
            .fold(String::new(), |line, (flag, text)| line + &format!(" --{flag} {}", program::quoted(Path::new(&text))))
    }

    fn of(matches: &ArgMatches) -> Self {
        let is_given = |id: &str| matches.try_contains_id(id).is_ok_and(|known| known);
        let from_line = |id: &str| is_given(id) && matches.value_source(id) == Some(ValueSource::CommandLine);
        let texts = |key: &Key| {
            let values = matches.get_many::<String>(key.path).into_iter().flatten();
            values.flat_map(|text| parse::parts(key.kind, text)).collect()
        };
        Self {
            config: is_given(CONFIG).then(|| matches.get_one(CONFIG).cloned()).flatten(),
            values: Key::all().filter(|key| from_line(key.path)).map(|key| (key, texts(key))).collect(),
        }
    }
}

/// Adds `--config` and the flags of the keys that `wanted` takes, below a heading per section.
fn augment(command: Command, wanted: fn(&Key) -> bool) -> Command {
    let config = Arg::new(CONFIG).long("config").value_name("FILE").value_parser(ValueParser::path_buf()).help(format!(
        "The configuration file [env: {}] [default: {}, if it exists]",
        variables::CONFIG,
        super::file::DEFAULT
    ));
    let keys = table::SECTIONS.iter().flat_map(|section| section.keys.iter().map(move |key| (section, key)));
    keys.filter(|(_, key)| wanted(key)).fold(command.arg(config), |command, (section, key)| {
        let arg = arg(key);
        command.arg(if section.name.is_empty() { arg } else { arg.help_heading(section.heading) })
    })
}

fn arg(key: &'static Key) -> Arg {
    let default = match key.default {
        Default::Is("false" | "") | Default::None(_) => String::new(),
        Default::Is(text) => format!(" [default: {text}]"),
        Default::InDev(other, in_dev) => format!(" [default: {other}; with --dev {in_dev}]"),
    };
    let arg =
        Arg::new(key.path).long(key.flag).value_name(key.value).help(format!("{} [env: {}]{default}", key.summary, key.variable));
    match key.kind {
        Kind::Switch => arg.num_args(0..=1).require_equals(true).default_missing_value("true").hide_possible_values(true),
        _ => arg,
    }
    .action(ArgAction::Append)
}

macro_rules! flags {
    ($name:ident, $wanted:expr) => {
        impl Args for $name {
            fn augment_args(command: Command) -> Command {
                augment(command, $wanted)
            }
            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }
        impl FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                Ok(Self(Given::of(matches)))
            }
            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

flags!(ServeFlags, |_| true);
flags!(DataFlags, |key| key.data);
