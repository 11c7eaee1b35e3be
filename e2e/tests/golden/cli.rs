//! docs/cli.md: every command.

use testkit::golden;

#[test]
fn the_reference_of_commands() {
    golden("docs/cli.md", &cli::command_reference());
}
