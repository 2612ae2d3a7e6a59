//! The declarations of a function in C, Fortran and Rust.

use super::interface::{Interface, Number, Param, ParamOf, Wording, shown};
use std::collections::HashSet;
use std::fmt::Write;

/// Words that no function of C can be called, or that every C program has already.
const TAKEN: [&str; 46] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while", "main", "exp", "log", "sin", "cos", "tan",
    "sqrt", "pow", "abs", "exit", "free", "malloc",
];

/// Whether C has another use for a name.
pub(super) fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name) || name.starts_with("terrace_")
}

/// Words of C++ and Rust that are no names of parameters, beside those of C.
const MORE: [&str; 40] = [
    "as",
    "async",
    "await",
    "bool",
    "catch",
    "class",
    "crate",
    "delete",
    "dyn",
    "explicit",
    "false",
    "fn",
    "friend",
    "impl",
    "in",
    "let",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "namespace",
    "new",
    "operator",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "self",
    "super",
    "template",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "unsafe",
    "use",
];

/// Names of the parameters that a language takes. Fortran's are the same in capital and small
/// letters.
fn names(i: &Interface, fold: bool) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::from([i.name.to_lowercase(), i.message()]);
    let mut all = Vec::new();
    for p in &i.params {
        let mut name = p.name.clone();
        let key = |n: &str| {
            if fold {
                n.to_lowercase()
            } else {
                n.to_string()
            }
        };
        while TAKEN.contains(&name.as_str())
            || MORE.contains(&name.as_str())
            || used.contains(&key(&name))
        {
            name.push('_');
        }
        used.insert(key(&name));
        all.push(name);
    }
    all
}

/// The sizes of an array in words, the outermost first.
fn sizes(i: &Interface, k: usize, names: &[String], wording: Wording) -> Vec<String> {
    let ParamOf::Array { map, shape, .. } = &i.params[k].of else {
        return Vec::new();
    };
    match map {
        Some(m) => (m.results().iter())
            .map(|e| shown(e, m.num_dims(), names, wording))
            .collect(),
        None => (shape.iter().enumerate())
            .map(|(d, s)| match s {
                Some(n) => n.to_string(),
                None => format!("{}_size{d}", names[k]),
            })
            .collect(),
    }
}

/// The arguments of an array's sizes, behind its address.
fn open<'p>(p: &'p Param, name: &'p str) -> impl Iterator<Item = String> + use<'p> {
    let shape = match &p.of {
        ParamOf::Array {
            map: None, shape, ..
        } => shape.as_slice(),
        _ => &[],
    };
    let open = shape.iter().enumerate().filter(|(_, s)| s.is_none());
    open.map(move |(d, _)| format!("{name}_size{d}"))
}

fn c_type(n: Number) -> &'static str {
    match n {
        Number::I8 => "int8_t",
        Number::I16 => "int16_t",
        Number::I32 => "int32_t",
        Number::I64 => "int64_t",
        Number::F32 => "float",
        Number::F64 => "double",
    }
}

/// What a comment says of the arrays, a line each.
fn described(i: &Interface, names: &[String], reversed: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (k, p) in i.params.iter().enumerate() {
        if let ParamOf::Array { only_read, .. } = &p.of {
            let mut sizes = sizes(i, k, names, Wording::Plain);
            let text = if reversed {
                sizes.reverse();
                format!("({})", sizes.join(", "))
            } else {
                sizes.iter().map(|s| format!("[{s}]")).collect()
            };
            let how = if *only_read { "read" } else { "written" };
            lines.push(format!("{}{text}, {how}", names[k]));
        }
    }
    lines
}

/// The header for C and C++.
pub(super) fn c(i: &Interface) -> String {
    let names = names(i, false);
    let guard = format!("TERRACE_{}_H", i.name.to_uppercase());
    let mut t = format!(
        "/* Made by terrace from {}. Link the object file with `terrace cc`, or with\n   \
         libterrace_runtime.a, -lpthread, -ldl and -lm. */\n#ifndef {guard}\n#define {guard}\n\n\
         #include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
        i.source
    );
    t += "/* The sizes of the arrays, which are row-major and do not overlap:\n";
    for line in described(i, &names, false) {
        let _ = writeln!(t, "     {line}");
    }
    let message = i.message();
    let _ = writeln!(
        t,
        "   Returns 0, or a number of which {message} tells what went wrong. */"
    );
    let mut params = Vec::new();
    for (p, name) in i.params.iter().zip(&names) {
        params.push(match &p.of {
            ParamOf::Number(n) => format!("{} {name}", c_type(*n)),
            ParamOf::Array {
                element, only_read, ..
            } => {
                let constant = if *only_read { "const " } else { "" };
                format!("{constant}{} *{name}", c_type(*element))
            }
        });
        params.extend(open(p, name).map(|s| format!("int64_t {s}")));
    }
    if params.is_empty() {
        params.push("void".to_string());
    }
    let _ = writeln!(t, "int {}({});", i.name, params.join(", "));
    let _ = writeln!(t, "const char *{message}(int status);");
    t + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}

/// A module for Fortran 2003.
pub(super) fn fortran(i: &Interface) -> String {
    let names = names(i, true);
    let f = &i.name;
    let mut t = format!(
        "! Made by terrace from {}. The sizes of the arrays, which do not overlap:\n",
        i.source
    );
    for line in described(i, &names, true) {
        let _ = writeln!(t, "!   {line}");
    }
    let _ = write!(
        t,
        "! The result is 0, or a number of which {f}_message tells what went wrong, as a C string.\n\
         module {f}_interface\n  use, intrinsic :: iso_c_binding\n  implicit none\n  interface\n"
    );
    let mut taken = Vec::new();
    let mut lines = Vec::new();
    let number = |n: Number| match n {
        Number::I8 => "integer(c_int8_t)",
        Number::I16 => "integer(c_int16_t)",
        Number::I32 => "integer(c_int32_t)",
        Number::I64 => "integer(c_int64_t)",
        Number::F32 => "real(c_float)",
        Number::F64 => "real(c_double)",
    };
    for (p, name) in i.params.iter().zip(&names) {
        taken.push(name.clone());
        match &p.of {
            ParamOf::Number(n) => lines.push(format!("{}, value :: {name}", number(*n))),
            ParamOf::Array {
                element, only_read, ..
            } => {
                let how = if *only_read { "in" } else { "inout" };
                lines.push(format!("{}, intent({how}) :: {name}(*)", number(*element)));
            }
        }
        for s in open(p, name) {
            lines.push(format!("integer(c_int64_t), value :: {s}"));
            taken.push(s);
        }
    }
    let _ = writeln!(
        t,
        "    integer(c_int) function {f}({}) bind(c, name=\"{f}\")\n      import",
        taken.join(", &\n        ")
    );
    for line in lines {
        let _ = writeln!(t, "      {line}");
    }
    let message = i.message();
    t + &format!(
        "    end function\n    type(c_ptr) function {message}(status) bind(c, name=\"{message}\")\n      \
         import\n      integer(c_int), value :: status\n    end function\n  end interface\nend module\n"
    )
}

/// Declarations for Rust, and a function on slices.
pub(super) fn rust(i: &Interface) -> String {
    let names = names(i, false);
    let number = |n: Number| match n {
        Number::I8 => "i8",
        Number::I16 => "i16",
        Number::I32 => "i32",
        Number::I64 => "i64",
        Number::F32 => "f32",
        Number::F64 => "f64",
    };
    let (mut foreign, mut safe, mut passed, mut checks) = (vec![], vec![], vec![], String::new());
    for (k, (p, name)) in i.params.iter().zip(&names).enumerate() {
        match &p.of {
            ParamOf::Number(n) => {
                foreign.push(format!("{name}: {}", number(*n)));
                safe.push(format!("{name}: {}", number(*n)));
                passed.push(name.clone());
            }
            ParamOf::Array {
                element, only_read, ..
            } => {
                let (kind, of, address) = match only_read {
                    true => ("*const", "&", "as_ptr"),
                    false => ("*mut", "&mut ", "as_mut_ptr"),
                };
                let n = number(*element);
                foreign.push(format!("{name}: {kind} {n}"));
                safe.push(format!("{name}: {of}[{n}]"));
                passed.push(format!("{name}.{address}()"));
                let all = sizes(i, k, &names, Wording::Rust);
                let all: Vec<String> = all.iter().map(|s| format!("({s}) as i128")).collect();
                let all = all.join(", ");
                let _ = write!(
                    checks,
                    "    let wanted = [{all}].iter().product::<i128>();\n    \
                     if wanted != {name}.len() as i128 {{\n        return Err(format!(\"{name} has {{}} elements, \
                     expected {{wanted}}\", {name}.len()));\n    }}\n"
                );
            }
        }
        for s in open(p, name) {
            foreign.push(format!("{s}: i64"));
            safe.push(format!("{s}: i64"));
            passed.push(s);
        }
    }
    let (f, message) = (&i.name, i.message());
    format!(
        "// Made by terrace from {}.\n#![allow(non_snake_case, non_upper_case_globals)]\n\n\
         mod foreign {{\n    unsafe extern \"C\" {{\n        \
         pub fn {f}({}) -> std::ffi::c_int;\n        \
         pub fn {message}(status: std::ffi::c_int) -> *const std::ffi::c_char;\n    }}\n}}\n\n\
         /// # Errors\n///\n/// An array of another length than its sizes say, or what went wrong.\n\
         #[allow(clippy::too_many_arguments)]\n\
         pub fn {f}({}) -> Result<(), String> {{\n{checks}    \
         // SAFETY: the arrays are as long as the function takes them to be, and borrows keep them apart.\n    \
         let status = unsafe {{ foreign::{f}({}) }};\n    if status == 0 {{\n        return Ok(());\n    }}\n    \
         // SAFETY: the function gives a constant text that ends in a zero.\n    \
         let text = unsafe {{ std::ffi::CStr::from_ptr(foreign::{message}(status)) }};\n    \
         Err(text.to_string_lossy().into_owned())\n}}\n",
        i.source,
        foreign.join(", "),
        safe.join(", "),
        passed.join(", "),
    )
}
