//! The part of a shell that RUN lines need.
//!
//! Pipelines with `|`, lists with `&&`, `||` and `;`, redirections, quotes
//! and backslashes. A pipeline fails when any of its commands fails, as under
//! `pipefail`. Commands of a pipeline run one after another, each with the
//! whole output of the one before as its input: no two can wait for each
//! other. There are no variables, globs, subshells or background commands;
//! what the grammar does not know is an error, not a literal.

use std::path::{Path, PathBuf};

use crate::Suite;
use crate::builtin;
use crate::tool::{Call, Output, Process, Tool};

/// `word` in single quotes where it needs them.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Where a redirection leads.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Redirect {
    /// `< file`
    Input(String),
    /// `> file`, `2> file`; true means append.
    File(u8, String, bool),
    /// `2>&1`, `1>&2`
    Copy(u8, u8),
}

/// One command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Simple {
    words: Vec<String>,
    redirects: Vec<Redirect>,
}

/// Commands joined by `|`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Pipeline {
    negated: bool,
    commands: Vec<Simple>,
}

/// When the pipeline after it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    And,
    Or,
    Always,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Pipe,
    Joint(Joint),
    Input,
    Output { fd: u8, append: bool },
    Both,
    Copy(u8, u8),
}

/// Operators, longer ones before those they begin with.
const OPERATORS: [(&str, Token); 16] = [
    ("2>&1", Token::Copy(2, 1)),
    ("1>&2", Token::Copy(1, 2)),
    (">&2", Token::Copy(1, 2)),
    (
        "2>>",
        Token::Output {
            fd: 2,
            append: true,
        },
    ),
    (
        "1>>",
        Token::Output {
            fd: 1,
            append: true,
        },
    ),
    (
        "2>",
        Token::Output {
            fd: 2,
            append: false,
        },
    ),
    (
        "1>",
        Token::Output {
            fd: 1,
            append: false,
        },
    ),
    ("&>", Token::Both),
    (
        ">>",
        Token::Output {
            fd: 1,
            append: true,
        },
    ),
    (
        ">",
        Token::Output {
            fd: 1,
            append: false,
        },
    ),
    ("<", Token::Input),
    ("||", Token::Joint(Joint::Or)),
    ("&&", Token::Joint(Joint::And)),
    ("|", Token::Pipe),
    (";", Token::Joint(Joint::Always)),
    ("&", Token::Joint(Joint::Always)),
];

fn tokenize(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    'tokens: while !rest.is_empty() {
        for (text, token) in &OPERATORS {
            if let Some(tail) = rest.strip_prefix(text) {
                if *text == "&" {
                    return Err("commands in the background ('&') are not supported".to_string());
                }
                tokens.push(token.clone());
                rest = tail.trim_start();
                continue 'tokens;
            }
        }
        let (word, tail) = word(rest)?;
        tokens.push(Token::Word(word));
        rest = tail.trim_start();
    }
    Ok(tokens)
}

/// The word at the start of `text`, without its quotes, and what follows it.
fn word(text: &str) -> Result<(String, &str), String> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            ' ' | '\t' | '|' | '&' | ';' | '<' | '>' => return Ok((out, &text[at..])),
            '(' | ')' | '`' => {
                return Err(format!("unquoted '{c}': subshells are not supported"));
            }
            '\\' => match chars.next() {
                Some((_, next)) => out.push(next),
                None => return Err("a backslash ends the line".to_string()),
            },
            '\'' => loop {
                match chars.next() {
                    Some((_, '\'')) => break,
                    Some((_, inner)) => out.push(inner),
                    None => return Err("a single quote is not closed".to_string()),
                }
            },
            '"' => loop {
                match chars.next() {
                    Some((_, '"')) => break,
                    Some((_, '\\')) => match chars.next() {
                        Some((_, e @ ('"' | '\\' | '$' | '`'))) => out.push(e),
                        Some((_, other)) => out.extend(['\\', other]),
                        None => return Err("a double quote is not closed".to_string()),
                    },
                    Some((_, inner)) => out.push(inner),
                    None => return Err("a double quote is not closed".to_string()),
                }
            },
            other => out.push(other),
        }
    }
    Ok((out, ""))
}

fn parse(line: &str) -> Result<Vec<(Joint, Pipeline)>, String> {
    let mut list = Vec::new();
    let mut joint = Joint::Always;
    let mut pipeline = Pipeline::default();
    let mut simple = Simple::default();
    let mut tokens = tokenize(line)?.into_iter();
    let file = |next: Option<Token>| match next {
        Some(Token::Word(w)) if !w.is_empty() => Ok(w),
        _ => Err("a redirection needs a file name".to_string()),
    };
    let empty = "a command is missing";
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(w)
                if w == "!" && simple == Simple::default() && pipeline.commands.is_empty() =>
            {
                pipeline.negated = !pipeline.negated;
            }
            Token::Word(w) => simple.words.push(w),
            Token::Input => simple.redirects.push(Redirect::Input(file(tokens.next())?)),
            Token::Output { fd, append } => {
                simple
                    .redirects
                    .push(Redirect::File(fd, file(tokens.next())?, append));
            }
            Token::Both => {
                simple
                    .redirects
                    .push(Redirect::File(1, file(tokens.next())?, false));
                simple.redirects.push(Redirect::Copy(2, 1));
            }
            Token::Copy(from, to) => simple.redirects.push(Redirect::Copy(from, to)),
            Token::Pipe => {
                if simple.words.is_empty() {
                    return Err(format!("{empty} before '|'"));
                }
                pipeline.commands.push(std::mem::take(&mut simple));
            }
            Token::Joint(next) => {
                if simple.words.is_empty() {
                    return Err(format!("{empty} before '&&', '||' or ';'"));
                }
                pipeline.commands.push(std::mem::take(&mut simple));
                list.push((joint, std::mem::take(&mut pipeline)));
                joint = next;
            }
        }
    }
    if simple.words.is_empty() {
        // `a;` is whole without a command after it; `a |` and `a &&` are not.
        if joint != Joint::Always || list.is_empty() || !pipeline.commands.is_empty() {
            return Err(format!("{empty} at the end"));
        }
        return Ok(list);
    }
    pipeline.commands.push(simple);
    list.push((joint, pipeline));
    Ok(list)
}

/// Where one stream of a command goes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// To the next command, or to the report.
    Pipe,
    /// To the report.
    Log,
    /// To a file; true means append.
    File(PathBuf, bool),
}

/// What a finished command is remembered by, for the report.
struct Trace {
    command: String,
    code: i32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// The input, of commands that judge it.
    judged: Option<Vec<u8>>,
}

/// The state that the RUN lines of one test share: the current folder.
pub struct Session<'a> {
    suite: &'a Suite,
    folder: PathBuf,
}

impl<'a> Session<'a> {
    /// A session that starts in `folder`.
    pub fn new(suite: &'a Suite, folder: PathBuf) -> Self {
        Session { suite, folder }
    }

    /// Runs one line. The error is a report for a person: each command that
    /// ran, how it ended, and what it printed.
    pub fn run_line(&mut self, line: &str) -> Result<(), String> {
        let list = parse(line)?;
        let mut traces = Vec::new();
        let mut ok = true;
        for (joint, pipeline) in &list {
            let wanted = match joint {
                Joint::And => ok,
                Joint::Or => !ok,
                Joint::Always => true,
            };
            if wanted {
                ok = self.run_pipeline(pipeline, &mut traces)? != pipeline.negated;
            }
        }
        if ok { Ok(()) } else { Err(report(&traces)) }
    }

    fn run_pipeline(
        &mut self,
        pipeline: &Pipeline,
        traces: &mut Vec<Trace>,
    ) -> Result<bool, String> {
        let mut input = Vec::new();
        let mut ok = true;
        for simple in &pipeline.commands {
            let (trace, piped) = self.run_simple(simple, input)?;
            ok &= trace.code == 0;
            traces.push(trace);
            input = piped;
        }
        // What nobody read belongs to the report.
        if let Some(last) = traces.last_mut() {
            last.stdout = input;
        }
        Ok(ok)
    }

    fn run_simple(&mut self, simple: &Simple, piped: Vec<u8>) -> Result<(Trace, Vec<u8>), String> {
        let mut stdin = piped;
        let mut targets = [Target::Pipe, Target::Log];
        for redirect in &simple.redirects {
            match redirect {
                Redirect::Input(name) => {
                    let path = self.folder.join(name);
                    stdin = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                }
                Redirect::File(fd, name, append) => {
                    let path = self.folder.join(name);
                    // The shell makes the file before the command runs.
                    if !append && name != "/dev/null" {
                        std::fs::write(&path, b"")
                            .map_err(|e| format!("{}: {e}", path.display()))?;
                    }
                    targets[usize::from(*fd) - 1] = Target::File(path, *append);
                }
                Redirect::Copy(from, to) => {
                    targets[usize::from(*from) - 1] = targets[usize::from(*to) - 1].clone();
                }
            }
        }
        let [out, err] = targets;
        let mut call = Call {
            args: simple.words[1..].to_vec(),
            stdin,
            folder: self.folder.clone(),
            env: Vec::new(),
            merge: out == err && out != Target::Log,
            timeout: self.suite.timeout,
        };
        let name = &simple.words[0];
        let output = if name == "cd" {
            self.change_folder(&call)
        } else {
            self.dispatch(name, &call)
        };
        let judged =
            (name == "FileCheck" && output.code != 0).then(|| std::mem::take(&mut call.stdin));
        let mut trace = Trace {
            command: simple
                .words
                .iter()
                .map(|w| quote(w))
                .collect::<Vec<_>>()
                .join(" "),
            code: output.code,
            stdout: Vec::new(),
            stderr: Vec::new(),
            judged,
        };
        let mut forward = Vec::new();
        for (target, bytes) in [(out, output.stdout), (err, output.stderr)] {
            match target {
                Target::Pipe => forward.extend(bytes),
                Target::Log => trace.stderr.extend(bytes),
                Target::File(path, append) => write(&path, append, &bytes)?,
            }
        }
        Ok((trace, forward))
    }

    fn change_folder(&mut self, call: &Call) -> Output {
        let target = self
            .folder
            .join(call.args.first().map_or("", String::as_str));
        if call.args.len() != 1 || !target.is_dir() {
            return Output::error(1, format!("cd: {}: no such folder", target.display()));
        }
        self.folder = target;
        Output::default()
    }

    /// Runs a command by its name: a tool of the suite, a built-in, a program.
    pub(crate) fn dispatch(&self, name: &str, call: &Call) -> Output {
        if let Some(tool) = self.suite.tools.get(name) {
            return tool.run(call);
        }
        if let Some(output) = builtin::run(self, name, call) {
            return output;
        }
        let program = if name.contains('/') {
            self.folder.join(name)
        } else {
            PathBuf::from(name)
        };
        Process::new(program).run(call)
    }
}

fn write(path: &Path, append: bool, bytes: &[u8]) -> Result<(), String> {
    use std::io::Write;
    std::fs::OpenOptions::new()
        .create(true)
        .write(true)
        .append(append)
        .truncate(!append)
        .open(path)
        .and_then(|mut f| f.write_all(bytes))
        .map_err(|e| format!("{}: {e}", path.display()))
}

/// Longest piece of a stream that a report shows.
const SHOWN: usize = 20_000;

fn report(traces: &[Trace]) -> String {
    let mut out = String::new();
    for trace in traces {
        out += &format!("  $ {}\n", trace.command);
        if trace.code != 0 {
            out += &format!("  exit status {}\n", trace.code);
        }
        stream(&mut out, "", &trace.stderr);
        stream(&mut out, "standard output", &trace.stdout);
        if let Some(judged) = &trace.judged {
            stream(&mut out, "the input it was given", judged);
        }
    }
    out
}

fn stream(out: &mut String, title: &str, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    if !title.is_empty() {
        *out += &format!("  {title}:\n");
    }
    let shown = &bytes[..bytes.len().min(SHOWN)];
    for line in String::from_utf8_lossy(shown).lines() {
        *out += &format!("  | {line}\n");
    }
    if bytes.len() > SHOWN {
        *out += &format!("  | ... {} more bytes\n", bytes.len() - SHOWN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        parse(line).unwrap().remove(0).1.commands.remove(0).words
    }

    #[test]
    fn quotes_and_backslashes() {
        assert_eq!(
            words(r#"a 'b c' "d \" e" f\ g 'h'"i"j"#),
            ["a", "b c", "d \" e", "f g", "hij"]
        );
        assert_eq!(words(r#"a "x\ny" '' "#), ["a", r"x\ny", ""]);
        for bad in ["a 'b", "a \"b", "a \\", "a (b)", "a `b`", "a &", "a & b"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        for w in ["a b", "it's", "", "x;y", "plain"] {
            assert_eq!(words(&format!("c {}", quote(w))), ["c", w]);
        }
    }

    #[test]
    fn lists_and_redirections() {
        let list = parse("a 2>&1 >x | b <y && c2>z ; ! d").unwrap();
        assert_eq!(list.len(), 3);
        assert_eq!(
            list[0].1.commands[0].redirects,
            [Redirect::Copy(2, 1), Redirect::File(1, "x".into(), false)]
        );
        assert_eq!(
            list[0].1.commands[1].redirects,
            [Redirect::Input("y".into())]
        );
        // A digit inside a word is part of the word.
        assert_eq!(list[1].1.commands[0].words, ["c2"]);
        assert_eq!(list[1].0, Joint::And);
        assert!(list[2].1.negated);
        for bad in [
            "",
            "|",
            "a |",
            "| a",
            "a &&",
            "a >",
            "a && && b",
            "> x",
            "a > | b",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
