//! The headers, made of templates: what is said of the items and their order stands there,
//! the declarations come from the items in Rust.
//!
//! In a template `@fn NAME(PARAMETERS)` becomes a prototype, `@struct NAME` a structure and
//! `@enum NAME` an enumeration. `PARAMETER: TYPE` and `-> TYPE` give an `int` the name of an
//! enumeration.

pub mod items;
mod types;

use std::collections::BTreeMap;

use items::{Numbers, functions, structures, terrace_enums};
use terrace_runtime::program::abi::ABI;

/// Lines are no longer.
const WIDTH: usize = 95;

const NOTE: &str = "\
/* Made by the test `headers` of the definitions in Rust. This writes it anew:
   UPDATE_HEADERS=1 cargo test -p terrace-runtime --test headers */
";

/// `terrace.h`.
pub fn terrace_h() -> String {
    expand(include_str!("terrace.h.in"), &terrace_enums())
}

/// `openacc.h`.
pub fn openacc_h() -> String {
    expand(include_str!("openacc.h.in"), &items::openacc_enums())
}

fn expand(template: &str, enums: &BTreeMap<&'static str, Numbers>) -> String {
    let mut out = NOTE.to_string();
    for line in template.lines() {
        if let Some(rest) = line.strip_prefix("@fn ") {
            out.push_str(&prototype(rest));
        } else if let Some(name) = line.strip_prefix("@struct ") {
            out.push_str(&structure(name));
        } else if let Some(name) = line.strip_prefix("@enum ") {
            out.push_str(&enumeration(name, &enums[name]));
        } else if line == "@abi" {
            out.push_str(&format!("#define TERRACE_ABI {ABI}\n"));
        } else {
            assert!(!line.starts_with('@'), "{line}");
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// An `int` by another name.
fn renamed(declaration: String, ty: &str) -> String {
    let rest = declaration.strip_prefix("int ");
    let rest = rest.unwrap_or_else(|| panic!("{declaration} is no int, so no {ty}"));
    format!("{ty} {rest}")
}

fn prototype(line: &str) -> String {
    let (line, result) = match line.split_once(" -> ") {
        Some((line, result)) => (line, Some(result)),
        None => (line, None),
    };
    let (name, rest) = line.split_once('(').expect(line);
    let names = rest.strip_suffix(')').expect(line);
    let names: Vec<&str> = names.split(", ").filter(|n| !n.is_empty()).collect();
    let all = functions();
    let signature = all
        .get(name)
        .unwrap_or_else(|| panic!("no function {name} in Rust"));
    assert_eq!(
        names.len(),
        signature.parameters.len(),
        "parameters of {name}"
    );
    let parameters = names.iter().zip(&signature.parameters);
    let parameters = parameters.map(|(name, declare)| match name.split_once(": ") {
        Some((name, ty)) => renamed(declare(name), ty),
        None => declare(name),
    });
    let mut parameters: Vec<String> = parameters.collect();
    if parameters.is_empty() {
        parameters.push("void".to_string());
    }
    let start = (signature.result)(&format!("{name}("));
    let start = match result {
        Some(ty) => renamed(start, ty),
        None => start,
    };
    // Parameters that do not fit go below the first.
    let (mut out, mut column) = (start.clone(), start.len());
    for (i, p) in parameters.iter().enumerate() {
        let end = if i + 1 == parameters.len() { ");" } else { "," };
        let space = usize::from(i > 0);
        if i > 0 && column + space + p.len() + end.len() > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(start.len()));
            column = start.len();
        } else if i > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(p);
        out.push_str(end);
        column += p.len() + end.len();
    }
    out.push('\n');
    out
}

fn structure(name: &str) -> String {
    let all = structures();
    let found = all
        .get(name)
        .unwrap_or_else(|| panic!("no structure {name} in Rust"));
    let mut out = format!("struct {name} {{\n");
    for field in &found.fields {
        out.push_str(&format!("  {};\n", (field.declare)(field.name)));
    }
    out.push_str("};\n");
    out
}

fn enumeration(name: &str, numbers: &Numbers) -> String {
    let typed = name.ends_with("_t");
    let mut out = match typed {
        true => format!("typedef enum {name} {{\n"),
        false => "enum {\n".to_string(),
    };
    for (i, (name, value, note)) in numbers.iter().enumerate() {
        let comma = if i + 1 < numbers.len() { "," } else { "" };
        let note = match note.is_empty() {
            true => String::new(),
            false => format!(" /* {note} */"),
        };
        let line = format!("  {name} = {value}{comma}");
        match line.len() + note.len() > WIDTH {
            true => out.push_str(&format!("  {}\n{line}\n", folded(note.trim()))),
            false => out.push_str(&format!("{line}{note}\n")),
        }
    }
    match typed {
        true => out.push_str(&format!("}} {name};\n")),
        false => out.push_str("};\n"),
    }
    out
}

/// A comment in lines that fit.
fn folded(comment: &str) -> String {
    let mut out = String::new();
    let mut column = 2;
    for (i, word) in comment.split(' ').enumerate() {
        if i > 0 && column + 1 + word.len() > WIDTH {
            out.push_str("\n     ");
            column = 5;
        } else if i > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.len();
    }
    out
}
