//! The crates of the workspace stand in an order, and each may depend only on
//! those below it: `presburger` at the bottom, the crate `terrace` at the top,
//! and above it an example of a crate that uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// From the bottom up, with the folder of each.
const ORDER: [(&str, &str); 13] = [
    ("terrace-support", "support"),
    ("terrace-presburger", "presburger"),
    ("terrace-ir", "ir"),
    ("terrace-dialects", "dialects"),
    ("terrace-machine", "targets/machine"),
    ("terrace-passes", "passes"),
    ("terrace-ptx", "targets/ptx"),
    ("terrace-emulator", "runtime/emulator"),
    ("terrace-targets", "targets"),
    ("terrace-runtime", "runtime"),
    ("terrace-c", "frontends/c"),
    ("terrace", "."),
    ("own-opt", "examples/own-opt"),
];

/// Dependencies that the order alone would allow.
const FORBIDDEN: [(&str, &str, &str); 3] = [
    (
        "terrace-targets",
        "terrace-passes",
        "targets never import passes",
    ),
    (
        "terrace-c",
        "terrace-targets",
        "a front end does not know what runs its program",
    ),
    (
        "terrace-c",
        "terrace-runtime",
        "a front end does not know what runs its program",
    ),
];

/// Crates that depend, of ours, on these alone.
const APART: [(&str, &[&str]); 7] = [
    (SUPPORT, &[]),
    ("terrace-presburger", &[SUPPORT]),
    ("terrace-machine", &[]),
    ("terrace-ptx", &["terrace-machine"]),
    ("terrace-emulator", &["terrace-machine", "terrace-ptx"]),
    (
        "terrace-runtime",
        &[
            SUPPORT,
            "terrace-machine",
            "terrace-ptx",
            "terrace-emulator",
        ],
    ),
    ("terrace-lit", &[SUPPORT]),
];

/// The one crate without anything of terrace in it.
const SUPPORT: &str = "terrace-support";

/// Crates that only tests may use.
const TESTING: [&str; 1] = ["terrace-lit"];

type Manifest = toml::Table;

/// The crates that a manifest depends on, by package name: for use, and for
/// use or tests. The keys of a renamed dependency count by what they name.
fn dependencies(manifest: &Manifest, workspace: &Manifest) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut tables = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(|t| t.as_table()) {
        tables.extend(targets.values().filter_map(|t| t.as_table()));
    }
    let mut of_kind = BTreeMap::new();
    for kind in ["dependencies", "build-dependencies", "dev-dependencies"] {
        let names: BTreeSet<String> = tables
            .iter()
            .filter_map(|t| t.get(kind).and_then(|d| d.as_table()))
            .flatten()
            .map(|(key, value)| package(key, value, workspace))
            .collect();
        of_kind.insert(kind, names);
    }
    let used: BTreeSet<String> = &of_kind["dependencies"] | &of_kind["build-dependencies"];
    let all = &used | &of_kind["dev-dependencies"];
    (used, all)
}

fn package(key: &str, value: &toml::Value, workspace: &Manifest) -> String {
    let inherited = value
        .get("workspace")
        .and_then(|w| w.as_bool())
        .unwrap_or(false);
    let declared = if inherited {
        workspace
            .get("workspace")
            .and_then(|w| w.get("dependencies"))
            .and_then(|d| d.get(key))
    } else {
        Some(value)
    };
    let renamed = declared
        .and_then(|d| d.get("package"))
        .and_then(|p| p.as_str());
    renamed.unwrap_or(key).to_string()
}

/// What is wrong with the manifests, by package name.
fn violations(manifests: &BTreeMap<String, Manifest>, workspace: &Manifest) -> Vec<String> {
    let place = |name: &str| ORDER.iter().position(|(n, _)| *n == name);
    let ours: BTreeSet<&str> = manifests.keys().map(String::as_str).collect();
    let mut wrong = Vec::new();
    for (name, manifest) in manifests {
        let (used, all) = dependencies(manifest, workspace);
        if place(name).is_none() && !TESTING.contains(&name.as_str()) {
            wrong.push(format!(
                "{name} has no place in the order; give it one in test/crate_order.rs"
            ));
        }
        for other in all.iter().filter(|o| ours.contains(o.as_str())) {
            let mut say = |why: &str| wrong.push(format!("{name} depends on {other}: {why}"));
            if TESTING.contains(&other.as_str()) {
                if used.contains(other) {
                    say("only tests may");
                }
            } else if let Some((_, few)) = APART.iter().find(|(n, _)| n == name)
                && !few.contains(&other.as_str())
            {
                say("it is kept apart from it");
            } else if place(other) >= place(name) {
                say("it stands above it");
            } else if let Some((_, _, why)) =
                FORBIDDEN.iter().find(|(a, b, _)| a == name && b == other)
            {
                say(why);
            }
        }
    }
    wrong
}

fn read(path: &Path) -> Manifest {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn name(manifest: &Manifest) -> String {
    manifest["package"]["name"]
        .as_str()
        .expect("a package has a name")
        .to_string()
}

#[test]
fn every_crate_depends_only_on_those_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = read(&root.join("Cargo.toml"));
    let mut manifests = BTreeMap::new();
    for member in workspace["workspace"]["members"]
        .as_array()
        .expect("members is an array")
    {
        let folder = member.as_str().expect("a member is a folder");
        let manifest = read(&root.join(folder).join("Cargo.toml"));
        let name = name(&manifest);
        if let Some((_, wanted)) = ORDER.iter().find(|(n, _)| *n == name) {
            assert_eq!(
                folder, *wanted,
                "{name} lies in another folder than the order says"
            );
        }
        manifests.insert(name, manifest);
    }
    assert!(
        manifests.len() >= 7,
        "the workspace lost its members: {:?}",
        manifests.keys()
    );
    let wrong = violations(&manifests, &workspace);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrong_orders_are_found() {
    let workspace: Manifest =
        "[workspace.dependencies]\nrenamed = { package = \"terrace-passes\" }"
            .parse()
            .unwrap();
    let cases = [
        (
            "terrace-ir",
            "[dependencies]\nterrace-dialects.workspace = true",
            Some("above"),
        ),
        (
            "terrace-ir",
            "[dev-dependencies]\nterrace-dialects = { path = \"x\" }",
            Some("above"),
        ),
        (
            "terrace-targets",
            "[dependencies]\nrenamed.workspace = true",
            Some("never"),
        ),
        (
            "terrace-targets",
            "[target.'cfg(unix)'.dependencies]\nterrace-passes = \"1\"",
            Some("never"),
        ),
        (
            "terrace-runtime",
            "[dependencies]\nterrace-ir.workspace = true",
            Some("kept apart"),
        ),
        (
            "terrace-presburger",
            "[build-dependencies]\nterrace-ir.workspace = true",
            Some("kept apart"),
        ),
        (
            "terrace",
            "[dependencies]\nterrace-lit.workspace = true",
            Some("only tests"),
        ),
        ("terrace-new", "", Some("no place")),
        (
            "terrace-passes",
            "[dependencies]\nterrace-ir.workspace = true\nserde = \"1\"",
            None,
        ),
        (
            "terrace",
            "[dev-dependencies]\nterrace-lit.workspace = true",
            None,
        ),
    ];
    for (crate_name, text, wanted) in cases {
        let mut manifests: BTreeMap<String, Manifest> = ORDER
            .iter()
            .map(|(n, _)| (n.to_string(), Manifest::new()))
            .collect();
        manifests.insert("terrace-lit".to_string(), Manifest::new());
        manifests.insert(crate_name.to_string(), text.parse().unwrap());
        let wrong = violations(&manifests, &workspace);
        match wanted {
            None => assert!(wrong.is_empty(), "{crate_name}: {wrong:?}"),
            Some(part) => assert!(
                wrong.len() == 1 && wrong[0].contains(part),
                "{crate_name}: {wrong:?}"
            ),
        }
    }
}

/// The folders of `passes/src`, from the bottom up: each uses only those before it.
const ROOMS: [(&str, &str); 10] = [
    ("analysis", "reads the IR, and changes nothing"),
    ("loops", "changes loops as it is told, and decides nothing"),
    ("lower", "conversions to lower levels"),
    ("transform", "passes that have to do with no target"),
    ("upstream_tests", "passes for upstream's tests alone"),
    ("gpu", "mappers, the cost model, kernels"),
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
