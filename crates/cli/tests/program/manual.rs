//! Manual pages and completions.

use std::{fs, process::Command};

use regex::Regex;

use crate::support::{PROVOST, User, finish, skipped};

/// Whether `program` is here; a suite that must run fails without it.
fn there_is(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program} >/dev/null")]).status().expect("sh").success();
    if !found {
        skipped(program);
    }
    found
}

#[test]
fn there_is_a_page_for_every_command() {
    let user = User::nowhere();
    user.done(&["man", "--out", "pages"]);
    let folder = user.home.path().join("pages");
    let names: Vec<_> = fs::read_dir(&folder)
        .expect("pages")
        .map(|file| file.expect("a page").file_name().into_string().expect("a name"))
        .collect();
    for name in ["provost.1", "provost-iam-folders-list.1", "provost-iam-role-bindings-create.1", "provost-serve.1"] {
        assert!(names.contains(&name.to_owned()), "{name} is not in {names:?}");
    }
    for name in &names {
        let page = fs::read_to_string(folder.join(name)).expect("a page");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
            assert!(
                page.contains(&format!(".SH {section}\n")) || page.contains(&format!(".SH \"{section}\"\n")),
                "{name}: {section}"
            );
        }
    }
    let page = user.done(&["man", "iam", "folders", "list"]);
    assert_eq!(page, fs::read_to_string(folder.join("provost-iam-folders-list.1")).expect("a page"));
    assert!(page.contains(".SH EXAMPLES\n") && page.contains("provost iam folders list acme \\-o tree"), "{page}");
    let ran = user.run(&["man", "iam", "frobnicate"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
}

#[test]
fn the_pages_are_free_of_warnings() {
    if !there_is("groff") {
        return;
    }
    let user = User::nowhere();
    user.done(&["man", "--out", "pages"]);
    let mut groff = user.command("sh");
    groff.args(["-c", "for page in pages/*.1; do groff -man -Tutf8 -ww -rLL=100n \"$page\" >page.txt || exit; done"]);
    let ran = finish(&mut groff, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let mut one = user.command("sh");
    one.args(["-c", &format!("{PROVOST} man iam identities create | groff -man -Tascii -rLL=200n -P-c")]);
    // Bold is a letter typed twice.
    let told = Regex::new(".\x08").expect("a pattern").replace_all(&finish(&mut one, "").stdout, "").into_owned();
    for text in
        ["https://issuer.example", "--subject-pattern 'repo:acme/api:.*'", "130", "PROVOST_TOKEN", "provost-iam-identities(1)"]
    {
        assert!(told.contains(text), "{text} is missing:\n{told}");
    }
}

#[test]
fn bash_completes_commands_and_options() {
    let user = User::nowhere();
    let complete = |words: &str| {
        let script = format!(
            "source <({PROVOST} completions bash); COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
             _provost provost \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = user.command("bash");
        bash.args(["--norc", "-c", &script]);
        let ran = finish(&mut bash, "");
        assert_eq!(ran.stderr, "");
        ran.stdout
    };
    assert!(complete("provost iam fol").starts_with("folders\n"));
    assert!(complete("provost iam folders list --no").contains("--no-recursive\n"));
    assert_eq!(complete("provost -o tr"), "tree\n");
}

#[test]
fn every_shell_gets_a_script() {
    let user = User::nowhere();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(user.done(&["completions", shell]).contains("role-bindings"), "{shell}");
    }
    assert_eq!(user.run(&["completions", "tcsh"]).code, 2);
}
