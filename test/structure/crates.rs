//! The crates of the workspace stand in an order, and each may depend only on
//! those below it: `presburger` at the bottom, the crate `terrace` at the top,
//! and above it an example of a crate that uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// From the bottom up, with the folder of each.
const ORDER: [(&str, &str); 19] = [
    ("terrace-support", "support"),
    ("terrace-presburger", "presburger"),
    ("terrace-layout", "layout"),
    ("terrace-ir", "ir"),
    ("terrace-dialects", "dialects"),
    ("terrace-machine", "targets/machine"),
    ("terrace-passes", "passes"),
    ("terrace-x86", "targets/x86"),
    ("terrace-ptx", "targets/ptx"),
    ("terrace-emulator", "runtime/emulator"),
    ("terrace-embed", "runtime/embed"),
    ("terrace-targets", "targets"),
    ("terrace-runtime", "runtime"),
    ("terrace-c", "frontends/c"),
    ("terrace-dsl", "frontends/dsl"),
    ("terrace-formulas", "frontends/formulas"),
    ("terrace", "."),
    ("terrace-pliron", "pliron"),
    ("own-opt", "examples/own-opt"),
];

/// Dependencies that the order alone would allow.
const FORBIDDEN: [(&str, &str, &str); 8] = [
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
    (
        "terrace-dsl",
        "terrace-targets",
        "a front end does not know what runs its program",
    ),
    (
        "terrace-dsl",
        "terrace-runtime",
        "a front end does not know what runs its program",
    ),
    (
        "terrace-formulas",
        "terrace-targets",
        "a front end does not know what runs its program",
    ),
    (
        "terrace-formulas",
        "terrace-runtime",
        "a front end does not know what runs its program",
    ),
    (
        "terrace-formulas",
        "terrace-passes",
        "a front end says what is computed, and not how",
    ),
];

/// Crates that depend, of ours, on these alone.
const APART: [(&str, &[&str]); 10] = [
    (SUPPORT, &[]),
    ("terrace-presburger", &[SUPPORT]),
    ("terrace-layout", &[]),
    ("terrace-machine", &[]),
    ("terrace-embed", &[]),
    ("terrace-x86", &[]),
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
                "{name} has no place in the order; give it one in test/structure/crates.rs"
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
