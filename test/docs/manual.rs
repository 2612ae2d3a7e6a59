//! The pages of the manual and the completions: of every tool, with every subcommand and option.

use super::tools::{help, subcommands};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOLS: [&str; 4] = ["terrace", "terrace-opt", "terrace-reduce", "terrace-lsp"];
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

fn printed(words: &[&str]) -> String {
    let out = Command::new(super::binary("terrace")).args(words).output();
    let out = out.expect("our tool runs");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{words:?}: {said}");
    String::from_utf8(out.stdout).expect("text")
}

/// The long options at the beginnings of lines of a help.
fn options(help: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for line in help.lines().filter(|l| l.starts_with("  ")) {
        let words = line.split_whitespace().take(2);
        let name = words.filter_map(|w| w.strip_prefix("--")).next();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if let Some(name) = name.and_then(|n| n.split(|c| !is_part(c)).next()) {
            all.insert(name.to_string());
        }
    }
    all
}

/// What `--help` says of each page: of the tools, and of the subcommands of `terrace`.
fn helps() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for tool in ["terrace", "terrace-opt", "terrace-reduce"] {
        all.push((tool.to_string(), help(tool, &[])));
    }
    for sub in subcommands(&all[0].1.clone()) {
        all.push((format!("terrace-{sub}"), help("terrace", &[sub])));
    }
    all
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[test]
fn every_tool_and_subcommand_has_a_page() {
    let folder = folder("manual");
    assert_eq!(printed(&["manual", folder.to_str().expect("text")]), "");
    let page = |name: &str| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.1")));
        text.unwrap_or_else(|e| panic!("{name}.1: {e}"))
            .replace('\\', "")
    };
    for (name, help) in helps() {
        let text = page(&name);
        let missing = |o: &&String| !text.contains(&format!("--{o}"));
        let missing: Vec<_> = options(&help).iter().filter(missing).cloned().collect();
        assert!(missing.is_empty(), "{name}.1 has no {missing:?}");
    }
    let (of_all, lsp) = (page("terrace"), page("terrace-lsp"));
    assert!(lsp.contains("--stdio"), "{lsp}");
    for sub in subcommands(&help("terrace", &[])).into_iter().chain(["cc"]) {
        assert!(
            of_all.contains(&format!("terrace-{sub}(1)")),
            "{sub}: {of_all}"
        );
    }
    assert!(page("terrace-cc").contains("--terrace-keep=DIR"));
    assert!(
        !of_all.contains("terrace-mappings"),
        "a hidden subcommand is shown"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let file = folder("manual-file");
    std::fs::write(&file, "").expect("a file");
    let out = Command::new(super::binary("terrace"))
        .arg("manual")
        .arg(&file)
        .output();
    let out = out.expect("our tool runs");
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(
        said,
        format!(
            "error: cannot write the manual to '{}': File exists\n",
            file.display()
        )
    );
}

#[test]
fn every_shell_completes_every_option() {
    let helps = helps();
    for shell in SHELLS {
        for tool in TOOLS {
            let script = printed(&["completions", shell, tool]);
            let pages = helps.iter().filter(|(name, _)| match tool {
                "terrace" => !TOOLS[1..].contains(&name.as_str()),
                tool => name == tool,
            });
            for (name, help) in pages {
                let missing = |o: &&String| !script.contains(o.as_str());
                let missing: Vec<_> = options(help).iter().filter(missing).cloned().collect();
                assert!(missing.is_empty(), "{shell}, {name}: {missing:?}");
            }
            assert!(script.contains(tool), "{shell}, {tool}");
        }
    }
    let script = printed(&["completions", "bash"]);
    for sub in subcommands(&helps[0].1) {
        assert!(script.contains(sub), "{sub}");
    }
}

/// Bash itself completes `terrace run --thr` and the name of a pass.
#[test]
fn bash_completes_by_them() {
    let folder = folder("bash");
    std::fs::create_dir_all(&folder).expect("a folder");
    let complete = |tool: &str, function: &str, line: &str| {
        let file = folder.join(tool);
        std::fs::write(&file, printed(&["completions", "bash", tool])).expect("a file");
        let script = format!(
            "source {}; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             {function} {tool} \"${{COMP_WORDS[COMP_CWORD]}}\" \"\"; echo \"${{COMPREPLY[@]}}\"",
            file.display()
        );
        let out = Command::new("bash").args(["-c", &script]).output();
        String::from_utf8_lossy(&out.expect("bash").stdout)
            .trim()
            .to_string()
    };
    assert_eq!(
        complete("terrace", "_terrace", "terrace run --thr"),
        "--threads"
    );
    assert_eq!(complete("terrace", "_terrace", "terrace doc"), "doctor");
    let passes = complete(
        "terrace-opt",
        "_terrace__opt",
        "terrace-opt --affine-loop-ti",
    );
    assert_eq!(passes, "--affine-loop-tile");
}
