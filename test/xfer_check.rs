//! `xfer-check` against the interpreter, on random programs with mirrored arrays.
//!
//! What the checker accepts runs without a fault, whatever the conditions and the trip
//! counts are. Of programs without branches and loops, whose accesses are to whole
//! arrays, it accepts just those that run without a fault.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on, of each kind.

#[path = "xfer_check/asynchronous.rs"]
mod asynchronous;
#[path = "xfer_check/generate.rs"]
mod generate;
#[allow(dead_code)]
#[path = "random/rng.rs"]
mod rng;

use terrace::ir::text::parser::{Source, parse};
use terrace::ir::verify::verify;
use terrace::ir::{Context, Op, OpKind};
use terrace::passes::xfer::check::{Incoherence, check};
use terrace::targets::interp::{Interpreter, Value};

const COUNT: u64 = 1000;

fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(otherwise)
}

fn load(text: &str) -> (Context, Op) {
    let mut ctx = terrace::dialects::context();
    ctx.config.keep_names = true;
    let parsed = parse(&mut ctx, &Source::new("random.mlir", text));
    let module =
        parsed.unwrap_or_else(|| panic!("does not parse: {:?}\n{text}", ctx.take_diagnostics()));
    assert!(
        verify(&ctx, module),
        "does not verify: {:?}\n{text}",
        ctx.take_diagnostics()
    );
    (ctx, module)
}

/// What the checker says of all functions of the program.
fn checked(ctx: &Context, module: Op) -> Vec<Incoherence> {
    let functions = module.find_all::<terrace::dialects::func::FuncOp>(ctx);
    let found = functions.iter().filter_map(|f| check(ctx, f.op()).err());
    found.flatten().collect()
}

/// Runs `@f` of the program; what goes wrong.
fn run(ctx: &Context, module: Op, conditions: [bool; 2], trips: [i64; 2]) -> Result<(), String> {
    let mut interp = Interpreter::new(ctx, module);
    let ty = ctx.memref(&[2], ctx.i32());
    let mut args = Vec::new();
    for k in 0..2i32 {
        let bytes: Vec<u8> = [k, k + 7].iter().flat_map(|v| v.to_le_bytes()).collect();
        args.push(interp.array(ty, &[2], &bytes).map_err(|e| e.render(ctx))?);
    }
    args.extend(conditions.map(|c| Value::int(1, u64::from(c))));
    args.extend(trips.map(Value::Index));
    interp
        .call("f", args)
        .map(|_| ())
        .map_err(|e| e.render(ctx))
}

fn said(ctx: &Context, found: &[Incoherence]) -> String {
    found.iter().for_each(|i| i.emit(ctx));
    format!("{:#?}", ctx.take_diagnostics())
}

#[test]
fn accepted_programs_do_not_fault() {
    let (first, count) = (
        number("TERRACE_RANDOM_SEED", 1),
        number("TERRACE_RANDOM_COUNT", COUNT),
    );
    let (mut accepted, mut faulty) = (0, 0);
    for seed in first..first + count {
        let text = generate::any(seed);
        let (ctx, module) = load(&text);
        let ok = checked(&ctx, module).is_empty();
        accepted += u64::from(ok);
        let mut faults = 0;
        for k in 0..36 {
            let conditions = [k % 2 == 1, k / 2 % 2 == 1];
            let trips = [k / 4 % 3, k / 12];
            let Err(why) = run(&ctx, module, conditions, trips) else {
                continue;
            };
            faults += 1;
            assert!(
                !ok,
                "seed {seed}: accepted, but with conditions {conditions:?} and trip counts {trips:?}:\n{why}\n{text}"
            );
            break;
        }
        faulty += u64::from(faults > 0);
    }
    eprintln!("{count} programs: {accepted} accepted, {faulty} with a faulty run");
    // Neither side of the statement may be empty.
    if count >= 100 {
        assert!(accepted > count / 10 && faulty > count / 10);
    }
}

#[test]
fn of_straight_programs_just_those_without_a_fault_are_accepted() {
    let (first, count) = (
        number("TERRACE_RANDOM_SEED", 1),
        number("TERRACE_RANDOM_COUNT", COUNT) * 2,
    );
    let mut accepted = 0;
    for seed in first..first + count {
        let text = generate::straight(seed);
        let (ctx, module) = load(&text);
        let found = checked(&ctx, module);
        let ran = run(&ctx, module, [false, false], [0, 0]);
        accepted += u64::from(found.is_empty());
        match (found.is_empty(), ran) {
            (true, Err(why)) => panic!("seed {seed}: accepted, but\n{why}\n{text}"),
            (false, Ok(())) => {
                let said = said(&ctx, &found);
                panic!("seed {seed}: runs, but is refused:\n{said}\n{text}");
            }
            _ => {}
        }
    }
    eprintln!("{count} straight programs: {accepted} accepted");
    if count >= 100 {
        assert!(accepted > count / 10 && accepted < count * 9 / 10);
    }
}

/// The same for the order of what goes on at once. Of programs of one path just those
/// that run without a fault are accepted.
#[test]
fn what_is_accepted_has_an_order() {
    let (first, count) = (
        number("TERRACE_RANDOM_SEED", 1),
        number("TERRACE_RANDOM_COUNT", COUNT),
    );
    for straight in [false, true] {
        let (mut accepted, mut faulty) = (0, 0);
        for seed in first..first + count {
            let text = asynchronous::asynchronous(seed, straight);
            let (ctx, module) = load(&text);
            let found = checked(&ctx, module);
            let ok = found.is_empty();
            accepted += u64::from(ok);
            let mut fault = None;
            for k in 0..if straight { 1 } else { 36 } {
                let conditions = [k % 2 == 1, k / 2 % 2 == 1];
                let trips = [k / 4 % 3, k / 12];
                if let Err(why) = run(&ctx, module, conditions, trips) {
                    fault = Some((conditions, trips, why));
                    break;
                }
            }
            faulty += u64::from(fault.is_some());
            match fault {
                Some((conditions, trips, why)) if ok => panic!(
                    "seed {seed}: accepted, but with conditions {conditions:?} and trip counts {trips:?}:\n{why}\n{text}"
                ),
                None if straight && !ok => {
                    let said = said(&ctx, &found);
                    panic!("seed {seed}: runs, but is refused:\n{said}\n{text}");
                }
                _ => {}
            }
        }
        eprintln!("{count} asynchronous programs: {accepted} accepted, {faulty} with a fault");
        if count >= 100 {
            assert!(accepted > count / 20 && faulty > count / 10);
        }
    }
}
