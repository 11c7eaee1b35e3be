//! The README, read as a script.

/// What the README tells people to do.
pub(crate) struct Readme {
    /// What the server says once it is ready.
    pub(crate) start: String,
    pub(crate) tour: Vec<Step>,
}

/// A block of commands and what they print, empty when the README does not say.
pub(crate) struct Step {
    pub(crate) commands: String,
    pub(crate) answer: String,
}

/// Separates the answers of the steps.
const BORDER: &str = "=== next step ===\n";

impl Readme {
    pub(crate) fn read() -> Self {
        Self::parse(include_str!("../../../../README.md"))
    }

    fn parse(text: &str) -> Self {
        let mut readme = Self { start: String::new(), tour: Vec::new() };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(kind) = line.strip_prefix("```") else { continue };
            let block: String = lines.by_ref().take_while(|line| *line != "```").flat_map(|line| [line, "\n"]).collect();
            match (kind, readme.tour.last_mut()) {
                ("sh tour", _) => readme.tour.push(Step { commands: block, answer: String::new() }),
                ("text", Some(step)) => step.answer.push_str(&block),
                ("text", None) => readme.start.push_str(&block),
                _ => {}
            }
        }
        readme
    }

    /// Every step in one script, whose standard output has everything that a terminal would show.
    pub(crate) fn script(&self) -> String {
        let steps = self.tour.iter().map(|step| format!("printf '{}'\n{}", BORDER.replace('\n', "\\n"), step.commands));
        format!("exec 2>&1\n{}", steps.collect::<String>())
    }

    /// The answers in what the script printed.
    pub(crate) fn split(output: &str) -> impl Iterator<Item = &str> {
        output.split(BORDER).skip(1)
    }
}

#[test]
fn blocks_are_steps_and_what_follows_is_their_answer() {
    let readme = Readme::parse(
        "```sh\nnot this\n```\n```text\nready\n```\n\n```sh tour\na\nb\n```\nso:\n```text\n1\n```\n```sh tour\nc\n```\n",
    );
    assert_eq!(readme.start, "ready\n");
    let steps: Vec<_> = readme.tour.iter().map(|step| (step.commands.as_str(), step.answer.as_str())).collect();
    assert_eq!(steps, [("a\nb\n", "1\n"), ("c\n", "")]);
    assert_eq!(Readme::split(&format!("x{BORDER}1\n{BORDER}2\n")).collect::<Vec<_>>(), ["1\n", "2\n"]);
}
