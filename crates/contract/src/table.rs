//! The method table as text, for the generated documents.

use crate::{Access, METHODS, Method, capabilities};

/// The table of all RPCs: method, HTTP binding, access, event and whether this server has it. Columns are aligned with
/// spaces; a method with several bindings takes a line for each, one without any has a dash there.
#[must_use]
pub fn methods_txt(implemented: &dyn Fn(&Method) -> bool) -> String {
    let mut rows = vec![["METHOD", "HTTP", "ACCESS", "EVENT", "STATE"].map(str::to_owned)];
    for method in METHODS {
        let state = if implemented(method) { "implemented" } else { "unimplemented" };
        let event = method.event.map_or("-", |event| event.kind);
        let mut bindings: Vec<_> = method.http.iter().map(|rule| format!("{} {}", rule.verb.as_str(), rule.template)).collect();
        if bindings.is_empty() {
            bindings.push("-".to_owned());
        }
        for (index, binding) in bindings.into_iter().enumerate() {
            let path = method.path.trim_start_matches('/');
            rows.push(if index == 0 {
                [path.to_owned(), binding, access(method.access), event.to_owned(), state.to_owned()]
            } else {
                [String::new(), binding, String::new(), String::new(), String::new()]
            });
        }
    }
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or_default();
    let widths: Vec<_> = (0..5).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn access(access: Access) -> String {
    let name = |number: &i32| capabilities().iter().find(|known| known.number == *number).map(|known| known.name.as_str());
    let names: Vec<_> = access.capabilities().iter().filter_map(name).collect();
    match access {
        Access::Undeclared => "checks the caller itself".to_owned(),
        Access::Public => "public".to_owned(),
        Access::Scoped([]) | Access::Unscoped([]) => "authenticated".to_owned(),
        Access::Scoped(_) => format!("scoped {}", names.join(" ")),
        Access::Unscoped(_) => format!("unscoped {}", names.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_line() {
        let text = methods_txt(&|method| method.name == "GetGroup");
        let bindings: usize = METHODS.iter().map(|method| method.http.len().max(1)).sum();
        assert_eq!(text.lines().count(), 1 + bindings);
        let line = text.lines().find(|line| line.contains("/GetGroup ")).expect("GetGroup");
        assert_eq!(
            line.split_whitespace().collect::<Vec<_>>().join(" "),
            "chainguard.platform.iam.v2beta1.GroupsService/GetGroup GET /iam/v2beta1/groups/{uid=**} scoped groups.list - implemented"
        );
        assert_eq!(text.lines().filter(|line| line.ends_with(" implemented")).count(), 1);
        let ok = text.lines().find(|line| line.contains("Auth/Validate")).expect("Validate");
        assert!(ok.contains("  authenticated  "), "{ok}");
        let bare = text.lines().find(|line| line.contains("/CreateWithGroup ")).expect("CreateWithGroup");
        assert_eq!(bare.split_whitespace().nth(1), Some("-"));
        assert!(text.lines().all(|line| line.trim_end() == line));
    }
}
