//! A document, read as a script.

/// What a document tells people to do.
pub(crate) struct Page {
    /// The first `text` block before any step: in the README, what the server says once it is ready.
    pub(crate) start: String,
    pub(crate) steps: Vec<Step>,
}

/// A block of commands and what they print, empty when the document does not say.
pub(crate) struct Step {
    pub(crate) commands: String,
    pub(crate) answer: String,
}

/// The blocks of a document: what each is marked with, and its lines.
pub(crate) fn blocks(text: &str) -> Vec<(&str, String)> {
    let (mut blocks, mut lines) = (Vec::new(), text.lines());
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else { continue };
        blocks.push((kind, lines.by_ref().take_while(|line| *line != "```").flat_map(|line| [line, "\n"]).collect()));
    }
    blocks
}

/// Separates the answers of the steps.
const BORDER: &str = "=== next step ===\n";

impl Page {
    /// The blocks that are marked with `mark`, such as `sh run`, and the `text` blocks after them.
    pub(crate) fn parse(text: &str, mark: &str) -> Self {
        let mut page = Self { start: String::new(), steps: Vec::new() };
        for (kind, block) in blocks(text) {
            match (kind, page.steps.last_mut()) {
                (kind, _) if kind == mark => page.steps.push(Step { commands: block, answer: String::new() }),
                ("text", Some(step)) => step.answer.push_str(&block),
                ("text", None) => page.start.push_str(&block),
                _ => {}
            }
        }
        page
    }

    /// Every step in one script, whose standard output has everything that a terminal would show. Servers that it starts
    /// end with it.
    pub(crate) fn script(&self) -> String {
        let steps = self.steps.iter().map(|step| format!("printf '{}'\n{}", BORDER.replace('\n', "\\n"), step.commands));
        format!("exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n{}", steps.collect::<String>())
    }

    /// The answers in what the script printed.
    pub(crate) fn split(output: &str) -> impl Iterator<Item = &str> {
        output.split(BORDER).skip(1)
    }
}

#[test]
fn blocks_are_steps_and_what_follows_is_their_answer() {
    let page = Page::parse(
        "```sh\nnot this\n```\n```text\nready\n```\n\n```sh tour\na\nb\n```\nso:\n```text\n1\n```\n```sh tour\nc\n```\n",
        "sh tour",
    );
    assert_eq!(page.start, "ready\n");
    let steps: Vec<_> = page.steps.iter().map(|step| (step.commands.as_str(), step.answer.as_str())).collect();
    assert_eq!(steps, [("a\nb\n", "1\n"), ("c\n", "")]);
    assert_eq!(Page::split(&format!("x{BORDER}1\n{BORDER}2\n")).collect::<Vec<_>>(), ["1\n", "2\n"]);
}
