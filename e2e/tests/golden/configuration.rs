//! docs/operate/configuration.md: every setting of the server.

use testkit::golden;

#[test]
fn the_reference_of_settings() {
    golden("docs/operate/configuration.md", &cli::reference());
}
