//! Types in C's words.

use super::{Extent, Float, Int, Rank, Record, Type};

/// The type in C's words, records by their tags: `double (*)[16]`.
pub fn spell(records: &[Record], ty: &Type) -> String {
    spell_type(records, ty, 0)
}

fn spell_type(records: &[Record], ty: &Type, depth: u32) -> String {
    if depth > 20 {
        return "...".into();
    }
    let inner = |t: &Type| spell_type(records, t, depth + 1);
    match ty {
        Type::Void => "void".into(),
        Type::Bool => "_Bool".into(),
        Type::Int(int) => spell_int(*int).into(),
        Type::Float(Float::F32) => "float".into(),
        Type::Float(Float::F64) => "double".into(),
        Type::Pointer(p) => {
            let mut quals = String::new();
            if p.to_const {
                quals.push_str("const ");
            }
            if p.to_volatile {
                quals.push_str("volatile ");
            }
            let restrict = if p.restrict { " restrict" } else { "" };
            match &p.to {
                Type::Array(_) | Type::Function(_) => {
                    // The pointer stands between what it points to and its suffixes.
                    let (head, tail) = split(records, &p.to, depth + 1);
                    format!("{quals}{head} (*{}){tail}", restrict.trim_start())
                }
                to => {
                    let to = inner(to);
                    let gap = if to.ends_with('*') { "" } else { " " };
                    format!("{quals}{to}{gap}*{restrict}")
                }
            }
        }
        Type::Array(_) | Type::Function(_) => {
            let (head, tail) = split(records, ty, depth);
            format!("{head} {tail}")
        }
        Type::Record(index) => match records.get(*index) {
            Some(r) => {
                let word = if r.union { "union" } else { "struct" };
                let name = if r.name.is_empty() {
                    "(unnamed)"
                } else {
                    &r.name
                };
                format!("{word} {name}")
            }
            None => "struct ?".into(),
        },
        Type::Other(name) => name.to_string(),
    }
}

/// What stands before the name, and what behind it.
fn split(records: &[Record], ty: &Type, depth: u32) -> (String, String) {
    if depth > 20 {
        return ("...".into(), String::new());
    }
    match ty {
        Type::Array(a) => {
            let (head, tail) = split(records, &a.of, depth + 1);
            let len = match &a.len {
                Extent::Const(n) => n.to_string(),
                Extent::Expr(_) => "*".into(),
                Extent::Unknown => String::new(),
            };
            (head, format!("[{len}]{tail}"))
        }
        Type::Function(f) => {
            let mut params: Vec<String> = f
                .params
                .iter()
                .map(|p| spell_type(records, p, depth + 1))
                .collect();
            if f.variadic {
                params.push("...".into());
            }
            if params.is_empty() && !f.old_style {
                params.push("void".into());
            }
            let result = spell_type(records, &f.result, depth + 1);
            (result, format!("({})", params.join(", ")))
        }
        other => (spell_type(records, other, depth + 1), String::new()),
    }
}

fn spell_int(int: Int) -> &'static str {
    match (int.rank, int.signed) {
        (Rank::Char, true) => "char",
        (Rank::Char, false) => "unsigned char",
        (Rank::Short, true) => "short",
        (Rank::Short, false) => "unsigned short",
        (Rank::Int, true) => "int",
        (Rank::Int, false) => "unsigned int",
        (Rank::Long, true) => "long",
        (Rank::Long, false) => "unsigned long",
        (Rank::LongLong, true) => "long long",
        (Rank::LongLong, false) => "unsigned long long",
    }
}
