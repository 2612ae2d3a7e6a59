//! The files of the repository: each is opened, asked about and formatted.

use crate::client::{Client, edited};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// All files below a folder with this end.
fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|e| e == end) => out.push(path),
                false => {}
            }
        }
    }
    out.sort();
    out
}

/// What may stand against formatting a text that is right.
const REFUSALS: [&str; 3] = [
    // An op prints regions or terminators that the text leaves out.
    "its comments would lose their places: what is printed has other ops",
    "the locations that it has, `loc(...)`, would be lost",
    "a text with errors is not formatted: ",
];

#[test]
fn files_of_the_repository() {
    let folders = std::env::var("TERRACE_LSP_FOLDERS");
    let folders = folders.unwrap_or("examples test/dialects".to_string());
    let mut client = Client::start();
    let (mut formatted, mut refused) = (0, Vec::new());
    let all: Vec<PathBuf> = folders.split(' ').flat_map(|f| files(f, "mlir")).collect();
    for path in &all {
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        let uri = format!("file://{}", path.display());
        client.open(&uri, "mlir", &text);
        client.diagnostics(&uri, 1);
        client.of("documentSymbol", &uri).unwrap();
        match client.of("formatting", &uri) {
            Ok(edits) => {
                let once = edited(&text, &edits);
                let lines = text.lines().count() as u32 + 1;
                client.change(&uri, 2, [0, 0, lines, 0], &once);
                client.diagnostics(&uri, 2);
                let again = client.of("formatting", &uri);
                assert_eq!(
                    again.map(|e| edited(&once, &e)),
                    Ok(once),
                    "{}",
                    path.display()
                );
                formatted += 1;
            }
            Err(e) => {
                let said = e["message"].as_str().unwrap().to_string();
                let expected = REFUSALS.iter().any(|r| said.starts_with(r));
                assert!(expected, "{}: {said}", path.display());
                if !said.starts_with(REFUSALS[2]) {
                    refused.push(path.display().to_string());
                }
            }
        }
    }
    let shown: Vec<&Value> = client
        .seen()
        .filter(|m| m["method"] == "window/showMessage")
        .collect();
    assert!(shown.is_empty(), "{shown:#?}");
    println!(
        "{} files, {formatted} formatted, {} refused: {refused:#?}",
        all.len(),
        refused.len()
    );
    // Formatting that refuses what is right is of no use.
    assert!(refused.len() * 20 < formatted, "{refused:#?}");
    client.stop();
}
