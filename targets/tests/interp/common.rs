//! Programs from text, values in and out.

use terrace_ir::text::parser::{Source, parse, parse_type};
use terrace_ir::{Context, Op, verify};
use terrace_targets::interp::{Config, InterpError, Interpreter, Value};

/// The module of a text that must parse and verify.
pub fn module(text: &str) -> (Context, Op) {
    let mut ctx = terrace_dialects::context();
    let parsed = parse(&mut ctx, &Source::new("t.mlir", text));
    let module = parsed.unwrap_or_else(|| panic!("{text}\n{:#?}", ctx.take_diagnostics()));
    assert!(
        verify::verify(&ctx, module),
        "{text}\n{:#?}",
        ctx.take_diagnostics()
    );
    (ctx, module)
}

/// The results of `@f` with these arguments.
pub fn run(text: &str, args: &[Value]) -> Vec<Value> {
    let (ctx, module) = module(text);
    let mut interp = Interpreter::new(&ctx, module);
    match interp.call("f", args.to_vec()) {
        Ok(values) => values,
        Err(e) => panic!("{text}\n{}", e.render(&ctx)),
    }
}

/// The error of `@f`, as `LINE: MESSAGE`, and its trace.
pub fn fails_with(text: &str, args: &[Value], config: Config) -> (String, InterpError) {
    let (ctx, module) = module(text);
    let mut interp = Interpreter::with_config(&ctx, module, config);
    match interp.call("f", args.to_vec()) {
        Ok(values) => panic!("{text}\nreturned {values:?}"),
        Err(e) => {
            let line = e.loc.file_pos(&ctx).map_or(0, |p| p.1);
            (format!("{line}: {}", e.message), e)
        }
    }
}

pub fn fails(text: &str, args: &[Value]) -> String {
    fails_with(text, args, Config::default()).0
}

pub fn i32v(v: i32) -> Value {
    Value::int(32, v as u32 as u64)
}

pub fn i64v(v: i64) -> Value {
    Value::int(64, v as u64)
}

pub fn index(v: i64) -> Value {
    Value::Index(v)
}

/// The bytes of numbers.
pub fn bytes_f64(v: &[f64]) -> Vec<u8> {
    v.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub fn bytes_f32(v: &[f32]) -> Vec<u8> {
    v.iter().flat_map(|x| x.to_le_bytes()).collect()
}

pub fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes
        .chunks(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// Runs `@f` on f64 arrays, each of a type, shape and content, behind scalar arguments;
/// the arrays afterwards.
pub fn on_arrays(
    text: &str,
    scalars: &[Value],
    arrays: &[(&str, &[i64], &[f64])],
) -> Vec<Vec<f64>> {
    let (mut ctx, module) = module(text);
    let types: Vec<_> = arrays
        .iter()
        .map(|a| parse_type(&mut ctx, a.0).expect("a type"))
        .collect();
    let mut interp = Interpreter::new(&ctx, module);
    let mut args = scalars.to_vec();
    for (ty, (_, shape, data)) in types.iter().zip(arrays) {
        args.push(interp.array(*ty, shape, &bytes_f64(data)).unwrap());
    }
    if let Err(e) = interp.call("f", args.clone()) {
        panic!("{text}\n{}", e.render(&ctx));
    }
    args[scalars.len()..]
        .iter()
        .map(|v| floats(&interp.read_array(v).unwrap().bytes))
        .collect()
}
