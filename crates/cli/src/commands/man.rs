//! `provost man`

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use clap::{Args, Command};
use clap_mangen::Man as Page;

use super::{Tree, examples};
use crate::{
    exit::{Exit, Failure},
    interrupt,
    manual::{self, Entry},
    output,
};

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command [default: provost itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Vec<String>,
    /// Write all pages to this folder instead
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Man {
    pub(super) fn run(self, tree: Tree) -> Result<(), Failure> {
        let mut tree = tree().disable_help_subcommand(true);
        tree.build();
        if let Some(folder) = &self.out {
            fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
            return write(&tree, &mut Vec::new(), folder);
        }
        let path: Vec<_> = self.command.iter().map(String::as_str).filter(|word| *word != "provost").collect();
        let mut command = &tree;
        for name in &path {
            command = command.find_subcommand(name).ok_or_else(|| {
                Failure::new(Exit::NotFound, format!("there is no command `provost {}`", path.join(" ")))
                    .hint("see which there are: provost --help")
            })?;
        }
        output::bytes(&page(command)?)
    }
}

/// Writes the page of `command` and of everything below.
fn write(command: &Command, path: &mut Vec<String>, folder: &Path) -> Result<(), Failure> {
    path.push(command.get_name().to_owned());
    let file = folder.join(format!("{}.1", path.join("-")));
    {
        let _no_half_page = interrupt::whole();
        fs::write(&file, page(command)?).map_err(|error| failed(&file, &error))?;
    }
    command.get_subcommands().try_for_each(|sub| write(sub, path, folder))?;
    path.pop();
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("cannot write {}: {error}", path.display()))
}

/// The manual page of a command of the built tree.
fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let full = command.get_bin_name().unwrap_or("provost").to_owned();
    let name = full.replace(' ', "-");
    let source = format!("provost {}", env!("CARGO_PKG_VERSION"));
    let man = Page::new(command.clone().display_name(name.clone())).title(name.to_uppercase()).manual("Provost").source(source);
    let mut roff = Vec::new();
    man.render_title(&mut roff)?;
    man.render_name_section(&mut roff)?;
    man.render_synopsis_section(&mut roff)?;
    man.render_description_section(&mut roff)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut roff)?;
    }
    man.render_options_section(&mut roff)?;
    let path = full.strip_prefix("provost ").unwrap_or_default();
    let mut text = String::new();
    if path.is_empty() {
        for (title, paragraph) in manual::COMMON {
            // Writing to a String cannot fail.
            let _ = write!(text, ".SH \"{}\"\n{}\n", title.to_uppercase(), escaped(paragraph));
        }
    }
    text.push_str(&section("EXIT STATUS", &manual::exit_codes()));
    text.push_str(&section("ENVIRONMENT", &manual::variables(command)));
    text.push_str(&section("FILES", &manual::files(command)));
    text.push_str(&shown(examples::of(path)));
    text.push_str(&see_also(command, &name));
    roff.extend(text.into_bytes());
    Ok(ascii(&String::from_utf8_lossy(&roff)).into_bytes())
}

/// The page with every other character spelled out, as old programs need it.
fn ascii(roff: &str) -> String {
    let spelled = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", u32::from(c)) };
    roff.chars().map(spelled).collect()
}

fn section(title: &str, entries: &[Entry]) -> String {
    let entry = |(word, meaning): &Entry| format!(".TP\n\\fB{}\\fR\n{}\n", escaped(word), escaped(meaning));
    let entries: Vec<_> = entries.iter().map(entry).collect();
    format!(".SH \"{title}\"\n{}", entries.concat())
}

fn shown(examples: &[(&str, &str)]) -> String {
    if examples.is_empty() {
        return String::new();
    }
    let example =
        |(what, line): &(&str, &str)| format!(".PP\n{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", escaped(what), escaped(line));
    let examples: Vec<_> = examples.iter().map(example).collect();
    format!(".SH EXAMPLES\n{}", examples.concat())
}

/// The pages one step up and one step down.
fn see_also(command: &Command, name: &str) -> String {
    let up = name.rsplit_once('-').map(|(up, _)| up.to_owned()).filter(|_| name != "provost");
    // A command with a dash in its name is not two commands.
    let own = command.get_name();
    let up = up.and_then(|_| name.strip_suffix(own)?.strip_suffix('-').map(str::to_owned));
    let down = command.get_subcommands().map(|sub| format!("{name}-{}", sub.get_name()));
    let pages: Vec<_> = up.into_iter().chain(down).map(|page| format!("\\fB{}\\fR(1)", escaped(&page))).collect();
    if pages.is_empty() { String::new() } else { format!(".SH \"SEE ALSO\"\n{}\n", pages.join(",\n")) }
}

/// Text that roff takes as it is.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('~', "\\(ti").replace('^', "\\(ha");
    let text = text.replace('\'', "\\(aq").replace('`', "\\(ga").replace('"', "\\(dq");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}
