use std::fmt::Write as _;

use domain::{Kind, Rule};
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
    text.push_str(
        "\n## How large an error is\n\n\
         At most 8 KiB over gRPC, with all headers of the answer together and `grpc-message` and `grpc-status-details-bin` as they are\n\
         sent; at most 64 KiB of JSON. Code, rule and the delay of a retry are always there. What else does not fit is cut and counted:\n\n\
         - The message names some of the violations and ends in `; and 73 more`. A text that is too long itself keeps its beginning and\n\
         its end, with `… (3900 bytes left out) …` between them.\n\
         - The details name the first violations, at most 100. How many others there are is `metadata.omittedViolations` of\n\
         `google.rpc.ErrorInfo`, which is absent otherwise.\n\
         - Of what the request itself said, at most about 100 bytes are repeated.\n",
    );
    golden("docs/api/errors.md", &text);
}

/// Whoever adds a code has to say whether to retry it, and no advice is about a rule that does not exist.
#[test]
fn the_advice_on_retries_is_about_every_code_and_about_rules_that_exist() {
    let text = include_str!("../../../docs/api/retries.md");
    let advice = text.split("## Which errors to retry").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the section");
    let words: Vec<&str> = advice.split('`').skip(1).step_by(2).collect();
    for kind in Kind::ALL {
        assert!(words.contains(&kind.as_str()), "nothing is said about {}", kind.as_str());
    }
    let codes: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let rows: Vec<[&str; 2]> = advice
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split("| `").filter_map(|cell| cell.split('`').next());
            Some([cells.next()?, cells.next()?])
        })
        .collect();
    assert_eq!(rows.len(), 14, "{rows:?}");
    for [code, rule] in rows {
        assert!(codes.contains(&code), "{code} is no code");
        assert!(Rule::ALL.iter().any(|(_, name, _)| *name == rule), "{rule} is no rule");
    }
}
