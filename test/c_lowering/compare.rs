//! A file of C functions, run both ways on the same arguments.

use super::inputs::{ELEMENTS, elements, name, scalar, size};
use super::rng::Rng;
use std::fmt::Write as _;
use std::process::Command;
use terrace::ir::{Context, Op};
use terrace::targets::interp::{Interpreter, Value};
use terrace_c::hir::{Function, Unit};
use terrace_c::lower::{Options, lower_unit};
use terrace_c::types::{Float, Type};

/// One argument.
enum Arg {
    Scalar(Type, u64),
    Array(Type, Vec<u8>),
}

/// A call: which function, with what.
struct Call<'u> {
    function: &'u Function,
    args: Vec<Arg>,
}

/// What a call left behind: its value, then each array.
#[derive(Debug, Clone, PartialEq)]
struct Outcome(Vec<Vec<u8>>);

pub fn compare(label: &str, text: &str, calls_each: u64) {
    let unit = read(text);
    let mut ctx = terrace::dialects::context();
    let lowered = lower_unit(&mut ctx, &unit, &Options::default());
    assert!(
        lowered.diagnostics.is_empty(),
        "{label}: {:?}",
        lowered.diagnostics
    );
    let kept: Vec<String> = lowered
        .kept
        .iter()
        .map(|k| format!("{}: {}", k.function, k.reason))
        .collect();
    assert!(kept.is_empty(), "{label} is not lowered: {kept:#?}");
    let calls = calls(&unit, calls_each);
    let Some(theirs) = theirs(label, text, &calls) else {
        eprintln!("SKIPPED {label}: there is no C compiler");
        return;
    };
    let module = lowered.module;
    let mut interp = Interpreter::new(&ctx, module);
    let mut wrong = Vec::new();
    for (call, want) in calls.iter().zip(&theirs) {
        let types = shapes(&unit, call.function);
        match ours(&ctx, module, &mut interp, call) {
            Ok(got) if alike(&got, want, &types) => {}
            Ok(got) => wrong.push(format!(
                "{}\n  ours   {}\n  theirs {}",
                show(call),
                hex(&got),
                hex(want)
            )),
            Err(e) => wrong.push(format!("{}\n  {e}", show(call))),
        }
    }
    if let Some(first) = wrong.first() {
        let name = first.split('(').next().unwrap_or_default();
        // Random functions end with an empty line, snippets with their line.
        let end = if text.contains("\n\n") { "\n\n" } else { "\n" };
        let source: String = text
            .split(end)
            .filter(|f| f.contains(&format!(" {name}(")))
            .collect();
        let listed = wrong.len().min(12);
        panic!(
            "{label}: {} of {} calls differ\n{}\n{source}",
            wrong.len(),
            calls.len(),
            wrong[..listed].join("\n")
        );
    }
}

fn read(text: &str) -> Unit {
    match terrace_c::read(text.to_string()) {
        Ok((unit, _)) => unit,
        Err(e) => panic!("{:#?}", e.diagnostics),
    }
}

/// The type of the value and of each array's elements.
fn shapes(unit: &Unit, f: &Function) -> Vec<Type> {
    let mut types = Vec::new();
    if f.result != Type::Void {
        types.push(f.result.clone());
    }
    for p in &f.params {
        if let Some(e) = element(&unit.var(*p).ty) {
            types.push(e);
        }
    }
    types
}

fn element(ty: &Type) -> Option<Type> {
    let mut ty = ty.element()?;
    while let Some(e) = ty.element() {
        ty = e;
    }
    Some(ty.clone())
}

fn calls(unit: &Unit, each: u64) -> Vec<Call<'_>> {
    let mut out = Vec::new();
    for (i, f) in unit.functions.iter().enumerate() {
        if f.is_static {
            continue;
        }
        for n in 0..each {
            let mut rng = Rng::new((i as u64) << 32 | n);
            let args = f
                .params
                .iter()
                .map(|p| {
                    let ty = &unit.var(*p).ty;
                    match element(ty) {
                        Some(e) => {
                            let bytes = elements(&mut rng, &e, ELEMENTS);
                            Arg::Array(e, bytes)
                        }
                        None => Arg::Scalar(ty.clone(), scalar(&mut rng, ty)),
                    }
                })
                .collect();
            out.push(Call { function: f, args });
        }
    }
    out
}

/// The outcomes of a program made by the system compiler; `None` without one.
fn theirs(label: &str, text: &str, calls: &[Call]) -> Option<Vec<Outcome>> {
    let folder =
        std::env::temp_dir().join(format!("terrace-c-lowering-{}-{label}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let source = folder.join(format!("{label}.c"));
    let program = folder.join(format!("{label}.out"));
    let main = main_program(calls);
    std::fs::write(&source, format!("{text}\n{main}")).expect("the program is written");
    let flags = ["-O1", "-fwrapv", "-ffp-contract=off", "-w", "-std=gnu11"];
    let out = Command::new("cc")
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .output()
        .ok()?;
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let out = Command::new(&program).output().expect("the program starts");
    assert!(out.status.success(), "{label}: {}", out.status);
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8(out.stdout).expect("text");
    let outcomes: Vec<Outcome> = text
        .lines()
        .map(|l| Outcome(l.split_whitespace().map(unhex).collect()))
        .collect();
    assert_eq!(outcomes.len(), calls.len());
    Some(outcomes)
}

fn unhex(s: &str) -> Vec<u8> {
    (0..s.len() / 2)
        .map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).expect("digits"))
        .collect()
}

fn main_program(calls: &[Call]) -> String {
    let mut s = String::from(
        "int printf(const char *, ...); void *memcpy(void *, const void *, unsigned long);\n\
         static void say(const void *p, int n) { const unsigned char *c = p;\n\
         for (int i = 0; i < n; i++) printf(\"%02x\", c[i]); printf(\" \"); }\n",
    );
    for (k, c) in calls.iter().enumerate() {
        let _ = writeln!(s, "static void call{k}(void) {{");
        let mut args = Vec::new();
        let mut after = String::new();
        for (i, a) in c.args.iter().enumerate() {
            match a {
                Arg::Scalar(ty, bits) => {
                    let _ = writeln!(
                        s,
                        "unsigned long w{i} = {bits}ul; {} a{i}; memcpy(&a{i}, &w{i}, sizeof a{i});",
                        name(ty)
                    );
                }
                Arg::Array(ty, bytes) => {
                    let list: Vec<String> = bytes
                        .chunks(8)
                        .map(|c| {
                            let mut w = [0; 8];
                            w[..c.len()].copy_from_slice(c);
                            format!("{}ul", u64::from_le_bytes(w))
                        })
                        .collect();
                    let _ = writeln!(
                        s,
                        "static unsigned long w{i}[] = {{{}}}; void *a{i} = w{i};",
                        list.join(",")
                    );
                    let _ = writeln!(after, "say(a{i}, {});", ELEMENTS * size(ty));
                }
            }
            args.push(format!("a{i}"));
        }
        let call = format!("{}({})", c.function.name, args.join(", "));
        if c.function.result == Type::Void {
            let _ = writeln!(s, "{call};");
        } else {
            let ty = name(&c.function.result);
            let _ = writeln!(s, "{ty} r = {call}; say(&r, sizeof r);");
        }
        let _ = writeln!(s, "{after} printf(\"\\n\"); }}");
    }
    s.push_str("int main(void) {\n");
    for k in 0..calls.len() {
        let _ = writeln!(s, "call{k}();");
    }
    s.push_str("return 0; }\n");
    s
}

fn ours(
    ctx: &Context,
    module: Op,
    interp: &mut Interpreter,
    call: &Call,
) -> Result<Outcome, String> {
    let name = &call.function.name;
    let inputs = input_types(ctx, module, name)?;
    let mut values = Vec::new();
    for (a, ty) in call.args.iter().zip(&inputs) {
        values.push(match a {
            Arg::Scalar(ty, bits) => match ty {
                Type::Float(Float::F32) => Value::float(terrace::ir::num::Float::from_f32(
                    f32::from_bits(*bits as u32),
                )),
                Type::Float(Float::F64) => {
                    Value::from_f64(terrace::ir::num::FloatKind::F64, f64::from_bits(*bits))
                }
                ty => Value::int(size(ty) as u32 * 8, *bits),
            },
            Arg::Array(_, bytes) => {
                let sizes = open_sizes(ty.shape(ctx).unwrap_or(&[]));
                interp
                    .array(*ty, &sizes, bytes)
                    .map_err(|e| e.to_string())?
            }
        });
    }
    let results = interp
        .call(name, values.clone())
        .map_err(|e| e.to_string())?;
    let mut out = Vec::new();
    for (v, ty) in results.iter().zip([&call.function.result]) {
        let bits = match (v.to_int(), v.to_float()) {
            (Some(i), _) => i.to_le_bytes(),
            (_, Some(f)) => f.to_bits().to_le_bytes()[..size(ty)].to_vec(),
            _ => return Err(format!("the value is {}", v.describe())),
        };
        out.push(bits);
    }
    for (v, a) in values.iter().zip(&call.args) {
        if let Arg::Array(..) = a {
            let array = interp.read_array(v).map_err(|e| e.to_string())?;
            out.push(array.bytes.clone());
        }
    }
    Ok(Outcome(out))
}

fn input_types(ctx: &Context, module: Op, name: &str) -> Result<Vec<terrace::ir::Type>, String> {
    let ops = module.body(ctx, 0).ops(ctx);
    let f = ops
        .into_iter()
        .find(|o| o.symbol_name(ctx) == Some(name))
        .ok_or(format!("no function {name}"))?;
    let ty = f
        .attr(ctx, "function_type")
        .and_then(|a| a.as_type(ctx))
        .ok_or("no type")?;
    Ok(ty.function_parts(ctx).map_or(Vec::new(), |p| p.0.to_vec()))
}

/// All elements in the first dimension that is open.
fn open_sizes(shape: &[i64]) -> Vec<i64> {
    let known: i64 = shape.iter().filter(|d| **d > 0).product();
    let mut rest = ELEMENTS as i64 / known;
    shape
        .iter()
        .map(|d| match *d > 0 {
            true => *d,
            false => std::mem::replace(&mut rest, 1),
        })
        .collect()
}

/// Equal but for which NaN a NaN is.
fn alike(a: &Outcome, b: &Outcome, types: &[Type]) -> bool {
    a.0.len() == b.0.len()
        && a.0.iter().zip(&b.0).zip(types).all(|((x, y), ty)| {
            x.len() == y.len()
                && match ty {
                    Type::Float(Float::F64) => pairs(x, y, 8, |w| {
                        f64::from_le_bytes(w.try_into().expect("8 bytes")).is_nan()
                    }),
                    Type::Float(Float::F32) => pairs(x, y, 4, |w| {
                        f32::from_le_bytes(w.try_into().expect("4 bytes")).is_nan()
                    }),
                    _ => x == y,
                }
        })
}

fn pairs(x: &[u8], y: &[u8], n: usize, nan: impl Fn(&[u8]) -> bool) -> bool {
    x.chunks(n)
        .zip(y.chunks(n))
        .all(|(a, b)| a == b || nan(a) && nan(b))
}

fn show(c: &Call) -> String {
    let args: Vec<String> = c
        .args
        .iter()
        .map(|a| match a {
            Arg::Scalar(ty, bits) => format!("{} {bits:#x}", name(ty)),
            Arg::Array(ty, _) => format!("{}[]", name(ty)),
        })
        .collect();
    format!("{}({})", c.function.name, args.join(", "))
}

fn hex(o: &Outcome) -> String {
    let part = |v: &Vec<u8>| -> String {
        let text: String = v.iter().take(80).map(|b| format!("{b:02x}")).collect();
        text
    };
    o.0.iter().map(part).collect::<Vec<_>>().join(" ")
}
