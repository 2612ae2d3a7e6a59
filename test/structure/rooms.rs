//! The folders of `passes/src` stand in an order, and each uses only those below it.

use std::collections::BTreeSet;
use std::path::Path;

/// From the bottom up, with what each holds.
const ROOMS: [(&str, &str); 11] = [
    ("analysis", "reads the IR, and changes nothing"),
    ("loops", "changes loops as it is told, and decides nothing"),
    ("lower", "conversions to lower levels"),
    ("transform", "passes that have to do with no target"),
    ("upstream_tests", "passes for upstream's tests alone"),
    ("gpu", "mappers, the cost model, kernels"),
    ("tile", "what a block does, to threads and back to loops"),
    ("xfer", "where arrays lie, and when they move"),
    ("schedule", "finds, judges and applies schedules"),
    ("region", "regions of programs, and their directives"),
    ("pipeline", "which pass runs when"),
];

/// The rooms that a file's text names, `depth` folders below the root of its crate.
fn rooms_named(text: &str, depth: usize) -> BTreeSet<String> {
    let root = "super::".repeat(depth + 1);
    let words = |start: &str| -> Vec<String> {
        let word = |s: &str| -> String {
            let end = s.find(|c: char| !c.is_alphanumeric() && c != '_');
            s[..end.unwrap_or(s.len())].to_string()
        };
        let mut out = Vec::new();
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let rest = &text[at + start.len()..];
            match rest.strip_prefix('{') {
                Some(group) => out.extend(group.split(['{', '}', ',']).map(|s| word(s.trim()))),
                None => out.push(word(rest)),
            }
        }
        out
    };
    let mut named: BTreeSet<String> = words("crate::").into_iter().collect();
    named.extend(words(&root));
    named.retain(|n| ROOMS.iter().any(|(r, _)| r == n));
    named
}

/// What is wrong with a file of a room: the rooms above its own that it names.
fn too_high(room: &str, file: &str, text: &str) -> Vec<String> {
    let place = |name: &str| ROOMS.iter().position(|(r, _)| *r == name);
    let depth = file.matches('/').count() - usize::from(file.ends_with("/mod.rs"));
    let above = rooms_named(text, depth).into_iter();
    above
        .filter(|n| place(n) > place(room))
        .map(|n| format!("passes/src/{file} uses {n}, which stands above {room}"))
        .collect()
}

#[test]
fn every_folder_of_passes_uses_only_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("passes/src");
    let mut wrong = Vec::new();
    let mut folders = vec![root.clone()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let file = path.strip_prefix(&root).expect("it lies below the root");
            let file = file.to_string_lossy().replace('\\', "/");
            let Some((room, _)) = file.split_once('/') else {
                continue;
            };
            if !ROOMS.iter().any(|(r, _)| *r == room) {
                wrong.push(format!("passes/src/{room} has no place in ROOMS"));
            }
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            wrong.extend(too_high(room, &file, &text));
            files += 1;
        }
    }
    assert!(files > 400, "only {files} files were looked at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrong_rooms_are_found() {
    for (file, text, wrong) in [
        ("gpu/map/mod.rs", "use crate::xfer::insert;", true),
        (
            "gpu/map/mod.rs",
            "use crate::{analysis, xfer::insert};",
            true,
        ),
        ("gpu/map/mod.rs", "use super::super::xfer::insert;", true),
        ("gpu/sink.rs", "let a = crate::region::map::run(ctx);", true),
        ("gpu/map/mod.rs", "use super::xfer::insert;", false),
        (
            "gpu/sink.rs",
            "use terrace_dialects::xfer; use crate::loops::nest;",
            false,
        ),
        ("xfer/insert.rs", "use crate::gpu::sink;", false),
    ] {
        assert_eq!(
            !too_high(file.split('/').next().unwrap(), file, text).is_empty(),
            wrong,
            "{text}"
        );
    }
}
