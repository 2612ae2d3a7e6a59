//! What says whether a program is right: the system's compiler with sanitizers whether it
//! is valid, without directives what it prints, and `terrace cc` on each target whether
//! that is the same.

use super::file::{File, SUPPORT};
use super::folder::{Folder, on, text};
use std::process::{Command, Output};

const TARGETS: [&str; 5] = ["host", "cpu", "turns", "emulator", "gpu"];

/// What explicit constructs are refused for, as docs/c.md says.
const REFUSED: [&str; 1] = ["whose records hold arrays of records"];

/// How a program went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The function's number.
    pub function: usize,
    /// The target, or `build`.
    pub at: &'static str,
    /// What can be compared: the message without numbers, or `wrong`.
    pub kind: String,
    pub detail: String,
}

/// What became of a file.
#[derive(Debug, Default)]
pub struct Tried {
    /// Functions that were run and compared.
    pub run: usize,
    /// Functions that are refused for what the documentation says cannot be in regions.
    pub refused: usize,
    /// Functions that are not valid.
    pub invalid: usize,
    /// Functions that launched a kernel on the emulator.
    pub launched: usize,
    pub failures: Vec<Failure>,
}

/// Compilers and a folder to use them in.
pub struct Bench {
    folder: Folder,
    terrace: String,
    targets: Vec<&'static str>,
}

fn good(o: &Output) -> bool {
    o.status.success()
}

impl Bench {
    pub fn new() -> Bench {
        let folder = Folder::new(&[("support.c", SUPPORT)]);
        let made = folder.gcc(&["-O1", "-w", "-c", "support.c"]);
        assert!(good(&made), "{}", text(&made.stderr));
        let terrace = std::env::var("TERRACE").unwrap_or(env!("CARGO_BIN_EXE_terrace").into());
        let wanted = std::env::var("TERRACE_RANDOM_C_TARGETS");
        let wanted = wanted.unwrap_or("host,cpu,turns,emulator".into());
        let target = |w: &str| {
            let known = TARGETS.iter().find(|t| **t == w);
            *known.unwrap_or_else(|| panic!("TERRACE_RANDOM_C_TARGETS: no target is called {w}"))
        };
        Bench {
            folder,
            terrace,
            targets: wanted.split(',').map(target).collect(),
        }
    }

    fn limited(&self, seconds: u32, program: &str, args: &[&str], env: &[(&str, &str)]) -> Output {
        let mut c = Command::new("timeout");
        c.arg(seconds.to_string()).arg(program).args(args);
        self.folder.run_with(c, env)
    }

    /// Builds what sanitizers watch and what says what is expected.
    fn sanitized(&self) -> Result<(), String> {
        let made = self.folder.gcc(&[
            "-O1",
            "-DPLAIN",
            "-g1",
            "-Werror=uninitialized",
            "-Werror=return-type",
            "-fsanitize=address,undefined,float-cast-overflow",
            "-fno-sanitize-recover=all",
            "a.c",
            "support.o",
            "-o",
            "sanitized",
            "-lm",
        ]);
        good(&made).then_some(()).ok_or_else(|| text(&made.stderr))
    }

    /// Which functions are valid, as `main` takes it.
    fn valid(&self, functions: usize) -> String {
        let mut mask: Vec<char> = vec!['+'; functions];
        loop {
            let m: String = mask.iter().collect();
            let env = [("ASAN_OPTIONS", "detect_leaks=0")];
            let out = self.limited(8, "./sanitized", &[&m], &env);
            if good(&out) {
                return m;
            }
            match last_begun(&text(&out.stdout)) {
                Some(n) if mask[n] == '+' => mask[n] = '-',
                _ => return "-".repeat(functions),
            }
        }
    }

    fn plain(&self, mask: &str) -> Option<String> {
        let args = [
            "-O1",
            "-w",
            "-DPLAIN",
            "a.c",
            "support.o",
            "-o",
            "plain",
            "-lm",
        ];
        if !good(&self.folder.gcc(&args)) {
            return None;
        }
        let out = self.limited(10, "./plain", &[mask], &[]);
        good(&out).then(|| text(&out.stdout))
    }

    fn terrace(&self, auto: bool) -> Output {
        let mut args = vec!["cc", "-w", "-O1", "-fstack-protector-all"];
        if auto {
            args.push("--auto");
        }
        args.extend(["a.c", "support.o", "-o", "made", "-lm"]);
        self.limited(120, &self.terrace, &args, &[])
    }

    fn target(&self, target: &str, mask: &str) -> Output {
        let [place, trials] = on(target);
        let env = [place, trials, ("TERRACE_NOTIFY", "1")];
        self.limited(60, "./made", &[mask], &env)
    }

    /// Tries all functions of a file.
    pub fn file(&self, file: &File) -> Tried {
        let mut tried = Tried::default();
        let mut file = file.clone();
        let all = file.functions.iter().map(|(n, _)| n + 1).max().unwrap_or(0);
        self.folder.write("a.c", &file.text());
        if let Err(said) = self.sanitized() {
            // The generator is wrong, or its program reads what has no value.
            tried.failures.push(Failure {
                function: file.functions.first().map_or(0, |(n, _)| *n),
                at: "gcc",
                kind: "refused".into(),
                detail: said,
            });
            return tried;
        }
        let mut mask = self.valid(all);
        tried.invalid = mask.matches('-').count();
        loop {
            let source = file.text();
            self.folder.write("a.c", &source);
            let made = self.terrace(file.auto);
            if good(&made) {
                let said = text(&made.stderr);
                if said.contains("panicked at") {
                    tried.failures.push(Failure {
                        function: file.functions.first().map_or(0, |(n, _)| *n),
                        at: "build",
                        kind: "panicked".into(),
                        detail: said,
                    });
                }
                break;
            }
            let found = build_failures(&made, &source);
            for f in found {
                let n = f.function;
                file.functions.retain(|(m, _)| *m != n);
                if mask.as_bytes().get(n) == Some(&b'+') {
                    if REFUSED.iter().any(|r| f.detail.contains(r)) {
                        tried.refused += 1;
                    } else {
                        tried.failures.push(f);
                    }
                    mask.replace_range(n..=n, "-");
                }
            }
            if file.functions.is_empty() {
                return tried;
            }
        }
        let Some(expected) = self.plain(&mask) else {
            return tried;
        };
        tried.run = mask.matches('+').count();
        // Where directives ask for all regions nothing takes turns.
        let targets = self.targets.iter().copied();
        for target in targets.filter(|t| file.auto || *t != "turns") {
            // A function that ends the program is left out the next time.
            let mut mask = mask.clone();
            loop {
                let out = self.target(target, &mask);
                let begun = last_begun(&text(&out.stdout));
                if good(&out) {
                    let e = masked(&expected, &mask);
                    tried
                        .failures
                        .extend(differences(target, &e, &text(&out.stdout)));
                    if matches!(target, "emulator" | "gpu") {
                        tried.launched = launches(&text(&out.stderr));
                    }
                    break;
                }
                let Some(n) = begun else { break };
                tried.failures.push(crash(target, n, &out));
                if mask.as_bytes()[n] == b'-' {
                    break;
                }
                mask.replace_range(n..=n, "-");
            }
        }
        tried
    }

    /// Whether a file, of one function, still fails in this way.
    pub fn still(&self, file: &File, failure: &Failure) -> bool {
        let source = file.text();
        self.folder.write("a.c", &source);
        let made = self.terrace(file.auto);
        let all = file.functions.iter().map(|(n, _)| n + 1).max().unwrap_or(0);
        let mask = "+".repeat(all);
        let same = |f: &Failure| {
            f.function == failure.function && f.at == failure.at && f.kind == failure.kind
        };
        let fails = if !good(&made) {
            build_failures(&made, &source).iter().any(same)
        } else if failure.at == "build" {
            false
        } else {
            let Some(expected) = self.plain(&mask) else {
                return false;
            };
            let out = self.target(failure.at, &mask);
            if good(&out) {
                differences(failure.at, &expected, &text(&out.stdout))
                    .iter()
                    .any(same)
            } else {
                last_begun(&text(&out.stdout)).is_some_and(|n| same(&crash(failure.at, n, &out)))
            }
        };
        fails && self.sanitized().is_ok() && !self.valid(all).contains('-')
    }
}

fn last_begun(out: &str) -> Option<usize> {
    let line = out.lines().rev().find(|l| l.starts_with("begin "))?;
    line.split(' ').nth(1)?.parse().ok()
}

/// Without digits, so that it can be compared after the program has changed.
fn shape(message: &str) -> String {
    let line = message
        .lines()
        .find(|l| l.contains("error") || l.contains("=========") || l.contains("panicked"));
    let line = line.unwrap_or(message.lines().next().unwrap_or("silent"));
    let after = line.split("error:").last().unwrap_or(line);
    let mut quoted = false;
    after
        .chars()
        .filter(|c| {
            if *c == '`' || *c == '\'' {
                quoted = !quoted;
            }
            !quoted && !c.is_ascii_digit()
        })
        .collect::<String>()
        .trim()
        .into()
}

/// An error for each function that it is in; what names none is put down to the last one.
fn build_failures(out: &Output, source: &str) -> Vec<Failure> {
    let said = text(&out.stderr);
    let mut found: Vec<Failure> = Vec::new();
    let lines: Vec<&str> = said.lines().collect();
    for (at, l) in lines.iter().enumerate() {
        let Some((place, _)) = l.split_once(": error:") else {
            continue;
        };
        let line = place
            .split(':')
            .nth(1)
            .and_then(|n| n.parse::<usize>().ok());
        let upto = source.lines().take(line.unwrap_or(usize::MAX));
        let function = upto
            .filter_map(|l| l.strip_prefix("void f")?.split('(').next()?.parse().ok())
            .last();
        let Some(function) = function else { continue };
        if !found.iter().any(|f| f.function == function) {
            found.push(Failure {
                function,
                at: "build",
                kind: shape(l),
                detail: lines[at..lines.len().min(at + 8)].join("\n"),
            });
        }
    }
    if found.is_empty() {
        let function = source
            .lines()
            .filter_map(|l| l.strip_prefix("void f")?.split('(').next()?.parse().ok())
            .next_back();
        let timeout = out.status.code() == Some(124);
        found.push(Failure {
            function: function.unwrap_or(0),
            at: "build",
            kind: if timeout {
                "timeout".into()
            } else {
                shape(&said)
            },
            detail: lines[..lines.len().min(12)].join("\n"),
        });
    }
    found
}

fn crash(at: &'static str, function: usize, out: &Output) -> Failure {
    let said: String = text(&out.stderr)
        .lines()
        .filter(|l| !l.starts_with("terrace: "))
        .take(20)
        .map(|l| format!("{l}\n"))
        .collect();
    let kind = match out.status.code() {
        Some(124) => "timeout".into(),
        None | Some(134..) => "killed".into(),
        _ => {
            let finding = said.lines().find(|l| l.starts_with("========="));
            let words = finding.map(|l| l.split(':').next().unwrap_or(l));
            words.map_or_else(|| shape(&said), String::from)
        }
    };
    Failure {
        function,
        at,
        kind,
        detail: format!("{}\n{said}", out.status),
    }
}

fn number_of(line: &str) -> Option<usize> {
    line.strip_prefix('f')?.split(' ').next()?.parse().ok()
}

/// What is expected of the functions that run.
fn masked(expected: &str, mask: &str) -> String {
    let runs = |l: &&str| {
        let n = number_of(l).or_else(|| l.split(' ').nth(1)?.parse().ok());
        n.is_none_or(|n| mask.as_bytes().get(n) != Some(&b'-'))
    };
    expected
        .lines()
        .filter(runs)
        .map(|l| format!("{l}\n"))
        .collect()
}

fn differences(at: &'static str, expected: &str, out: &str) -> Vec<Failure> {
    let mut found: Vec<Failure> = Vec::new();
    for (e, o) in expected.lines().zip(out.lines()) {
        if e == o {
            continue;
        }
        let Some(function) = number_of(e) else {
            continue;
        };
        match found.iter_mut().find(|f| f.function == function) {
            Some(f) => f.detail.push_str(&format!("\n{e} is {o}")),
            None => found.push(Failure {
                function,
                at,
                kind: "wrong".into(),
                detail: format!("{e} is {o}"),
            }),
        }
    }
    found
}

/// How many functions launched something, by the lines that tell of launches.
fn launches(notified: &str) -> usize {
    let mut names: Vec<&str> = notified
        .lines()
        .filter(|l| l.starts_with("terrace: launch"))
        .filter_map(|l| l.split(": ").nth(2)?.split('.').next())
        .collect();
    names.sort_unstable();
    names.dedup();
    names.len()
}
