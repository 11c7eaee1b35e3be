//! The committed documents about the program say what it does: they are generated here and compared.

use testkit::golden;

#[test]
fn the_reference_of_commands() {
    golden("docs/cli.md", &cli::command_reference());
}

#[test]
fn the_reference_of_settings() {
    golden("docs/operate/configuration.md", &cli::reference());
}
