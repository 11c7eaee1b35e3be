use std::fmt::Write as _;

use domain::Rule;
use testkit::golden;

#[test]
fn the_catalogue_names_every_rule() {
    let mut text = String::from(
        "# Errors\n\n\
         Every error carries `google.rpc.ErrorInfo`: `reason` is the name of the code, `metadata.rule` one of these. Generated\n\
         by `cargo xtask gen` from `domain::Rule`; do not edit.\n\n\
         | rule | meaning |\n|---|---|\n",
    );
    for (_, name, meaning) in Rule::ALL {
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
    golden("docs/api/errors.md", &text);
}
