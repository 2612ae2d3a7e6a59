//! Helps the tests of this folder.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::directive::collect;
use crate::hir::{Init, Unit, print};
use crate::parse::parse_with;
use crate::sema::constant::{Value, convert, fold};
use crate::source::SourceMap;
use crate::types::Type;
use terrace_ir::diag::{DiagLoc, Diagnostic};

/// Analyses a text; its diagnostics as `line:column: message (note)`.
pub(super) fn read(text: &str) -> (Unit, Vec<String>) {
    let map = SourceMap::with_loader(text, Box::new(|_| None));
    let parsed = match parse_with(&map, false) {
        Ok(parsed) => parsed,
        Err(errors) => panic!("{text}: {errors:?}"),
    };
    let (directives, mut diagnostics) = collect(&map);
    let (unit, found) = super::analyze(map, &parsed, directives);
    diagnostics.extend(found);
    (unit, diagnostics.iter().map(line).collect())
}

/// Analyses a text in which nothing is wrong.
pub(super) fn good(text: &str) -> Unit {
    let (unit, diagnostics) = read(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:#?}");
    unit
}

/// The errors in a text.
pub(super) fn errors(text: &str) -> Vec<String> {
    read(text).1
}

/// The typed tree of a text.
pub(super) fn printed(text: &str) -> String {
    print(&good(text))
}

/// The statements of `f`'s body, behind declarations that all tests share.
pub(super) fn body(statements: &str) -> String {
    let text = format!(
        "_Bool b; char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; \
         unsigned u; long l; unsigned long ul; long long ll; unsigned long long ull; float f; \
         double d; int *p; const char *q; void *v; struct S {{ int x; double y[4]; }} st, *ps; \
         double a[4], m[3][5]; int g(int, double); int takes(int, __builtin_va_list);\nvoid f0(void) {{\n{statements}\n}}\n"
    );
    let all = printed(&text);
    let from = all.find("void f0() {\n").unwrap() + "void f0() {\n".len();
    let lines = all[from..].trim_end().trim_end_matches('}');
    lines
        .lines()
        .map(|l| l.strip_prefix("  ").unwrap_or(l).to_owned() + "\n")
        .collect()
}

/// The elements of the array `values`, which are constants.
pub(super) fn values(unit: &Unit) -> Vec<Value> {
    let var = unit.vars.iter().find(|v| v.name == "values").unwrap();
    let of = var.ty.element().unwrap();
    let Some(Init::List(items)) = &var.init else {
        panic!("no list: {:?}", var.init);
    };
    let value = |init: &Init| match init {
        Init::Expr(e) => match fold(e).and_then(|v| convert(v, of)) {
            Some(v) => v,
            None => panic!("no constant: {}", unit.text(e.span)),
        },
        Init::List(_) => panic!("a list"),
    };
    items.iter().map(|(_, init)| value(init)).collect()
}

/// What the system's compiler says that the elements of `values` are: `long long`, or
/// bits of `double`.
pub(super) fn compiled_values(text: &str, ty: &Type) -> Vec<Value> {
    let print = match ty {
        Type::Float(_) => "printf(\"%a\\n\", values[i])",
        _ => "printf(\"%lld\\n\", (long long)values[i])",
    };
    let program = format!(
        "{text}\nint printf(const char *, ...);\nint main(void) {{ for (unsigned i = 0; \
         i < sizeof values / sizeof *values; i++) {print}; }}\n"
    );
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let stem = std::env::temp_dir().join(format!("terrace-c-{}-{count}", std::process::id()));
    let (source, binary) = (stem.with_extension("c"), stem.with_extension("exe"));
    std::fs::write(&source, program).unwrap();
    let out = Command::new("cc")
        .args(["-w", "-std=gnu11", "-o"])
        .arg(&binary)
        .arg(&source)
        .output()
        .unwrap();
    std::fs::remove_file(&source).unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let out = Command::new(&binary).output().unwrap();
    std::fs::remove_file(&binary).unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines()
        .map(|l| match ty {
            Type::Float(_) => Value::Float(read_hex(l)),
            _ => Value::Int(l.parse().unwrap()),
        })
        .collect()
}

/// `-0x1.8p+3`, as printf writes it.
fn read_hex(text: &str) -> f64 {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    match rest {
        "inf" => return sign * f64::INFINITY,
        "nan" => return f64::NAN,
        _ => {}
    }
    let (mantissa, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let low = exponent - 4 * fraction.len() as i32;
    // In two steps, so that neither underflows before the other is done.
    sign * digits as f64 * 2f64.powi(low / 2) * 2f64.powi(low - low / 2)
}

pub(super) fn line(d: &Diagnostic) -> String {
    let at = match &d.loc {
        DiagLoc::Pos { line, column, .. } => format!("{line}:{column}"),
        other => format!("{other:?}"),
    };
    let notes: Vec<String> = d.notes.iter().map(|n| format!(" ({})", n.1)).collect();
    format!("{at}: {}{}", d.message, notes.concat())
}
