//! Links between the pages lead to files and headings that are there.

use std::fs;
use std::path::{Path, PathBuf};

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The lines of a page that are not in blocks of code, with their numbers from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            all.push((i + 1, line));
        }
    }
    all
}

fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).into_iter().filter(|(_, l)| l.starts_with('#'));
    headings.map(|(_, l)| anchor(l)).collect()
}

/// The targets of links in a line, without those in code.
fn targets(line: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut before = "";
    for (i, piece) in line.split("](").enumerate() {
        // An odd number of marks in front means that the place is within code.
        let in_code = line[..before.len()].matches('`').count() % 2 == 1;
        if i > 0
            && !in_code
            && let Some((target, _)) = piece.split_once(')')
        {
            all.push(target);
        }
        let end = (before.len() + piece.len() + 2).min(line.len());
        before = &line[..end];
    }
    all.retain(|t| !t.contains("://"));
    all
}

/// What is wrong with the links of a page.
fn broken(page: &Path, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let folder = page.parent().expect("a page is in a folder");
    for (line, words) in prose(text) {
        for target in targets(words) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                page.to_path_buf()
            } else {
                folder.join(file)
            };
            let place = format!("{}:{line}: {target}:", page.display());
            if !file.is_empty() && !path.exists() {
                all.push(format!("{place} there is no such file"));
            } else if !heading.is_empty() && path.extension().is_some_and(|e| e == "md") {
                let there = match path == page {
                    true => anchors(text),
                    false => anchors(&fs::read_to_string(&path).expect("a page")),
                };
                if !there.iter().any(|a| a == heading) {
                    all.push(format!(
                        "{place} no heading is called so; there are {}",
                        there.join(", ")
                    ));
                }
            }
        }
    }
    all
}

/// All pages below a folder, and the pages of the folder itself.
fn pages(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a folder").path();
        if path.is_dir() {
            pages(&path, all);
        } else if path.extension().is_some_and(|e| e == "md") {
            all.push(path);
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    pages(&root.join("docs"), &mut all);
    pages(&root.join("examples"), &mut all);
    let mut wrong = Vec::new();
    for page in all {
        wrong.extend(broken(&page, &fs::read_to_string(&page).expect("a page")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_broken_link_is_found() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/none.md");
    let text = "# A `page`, new\n[a](#a-page-new) [b](gpu.md) [c](#b)\n`x[i](y)` [d](nowhere.md)\n";
    let wrong = broken(&page, text);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].contains("none.md:2: #b: no heading"), "{wrong:?}");
    assert!(
        wrong[1].contains(":3: nowhere.md: there is no such file"),
        "{wrong:?}"
    );
}
