//! Scheduling changes nothing that a kernel computes: random straight-line code with
//! loads, stores, guarded and repeated writes, carries and shuffles, before and after.

mod common;

use common::{Device, clean, kernel};
use terrace_lit::random::Random;
use terrace_ptx::optimize::schedule::schedule;
use terrace_ptx::parse::parse;

/// Eight words of each thread lie at `%rd1` in global memory, and at `%r5` in shared
/// memory; `%rd4` to `%rd6` point to words of them that scheduling must tell apart.
const START: &str = "
ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 32; add.u64 %rd1, %rd1, %rd2;
.shared .align 4 .b8 tile[2048]; mov.u32 %r5, tile; shl.b32 %r2, %r1, 5; add.u32 %r5, %r5, %r2;
add.u64 %rd4, %rd1, 4; add.u64 %rd5, %rd1, 8; add.u64 %rd6, %rd4, 4;
";

/// A register among `%r10` to `%r25`.
fn reg(rng: &mut Random) -> String {
    format!("%r{}", 10 + rng.below(16))
}

fn random_body(rng: &mut Random) -> String {
    let mut body = START.to_string();
    for i in 0..16 {
        body.push_str(&format!("add.u32 %r{}, %r1, {};\n", 10 + i, i * 77));
    }
    for i in 0..8 {
        body.push_str(&format!("st.shared.u32 [%r5+{}], %r{};\n", 4 * i, 10 + i));
    }
    for _ in 0..60 {
        let (a, b, c) = (reg(rng), reg(rng), reg(rng));
        let place = match rng.below(4) {
            0 => format!("[%rd1+{}]", 4 * rng.below(8)),
            n => format!("[%rd{}+{}]", 3 + n, 4 * rng.below(5)),
        };
        let line = match rng.below(14) {
            0 | 1 => format!("ld.global.u32 {a}, {place};"),
            2 => format!("st.global.u32 {place}, {a};"),
            3 => format!("ld.shared.u32 {a}, [%r5+{}];", 4 * rng.below(8)),
            4 => format!("st.shared.u32 [%r5+{}], {a};", 4 * rng.below(8)),
            5 => format!("setp.lt.u32 %p1, {a}, {b};"),
            6 => format!("@%p1 add.u32 {a}, {b}, {c};"),
            7 => format!("@!%p1 st.global.u32 {place}, {a};"),
            8 => format!("add.cc.u32 {a}, {b}, {c}; addc.u32 {c}, {a}, {b};"),
            9 => format!(
                "shfl.sync.bfly.b32 {a}, {b}, {}, 31, -1;",
                1 << rng.below(5)
            ),
            10 => "bar.sync 0;".to_string(),
            11 => format!("red.global.add.u32 {place}, {a};"),
            12 => format!("mad.lo.s32 {a}, {b}, {c}, {a};"),
            _ => format!("xor.b32 {a}, {b}, {c};"),
        };
        body.push_str(&line);
        body.push('\n');
    }
    for i in 0..8 {
        body.push_str(&format!("st.global.u32 [%rd1+{}], %r{};\n", 4 * i, 10 + i));
    }
    // A predicate that is read before it was written is no program.
    format!("setp.lt.u32 %p1, 1, 2;\n{body}ret;")
}

fn result(ptx: &str) -> Vec<u32> {
    let device = Device::new(ptx);
    let start: Vec<u32> = (0..8 * 32)
        .map(|i: u32| i.wrapping_mul(2654435761))
        .collect();
    let at = device.u32s(&start);
    clean(&device.run(1, 32, &[at]));
    device.read_u32s(at, start.len())
}

#[test]
fn random_code_computes_the_same() {
    let mut moved = 0;
    for seed in 0..120 {
        let text = kernel(".u64", &random_body(&mut Random(seed)));
        let before = result(&text);
        // With few registers code is always moved, else where loads pass stores.
        for most in [None, Some(13), Some(24)] {
            let mut module = parse(&text).expect("the text is right").module;
            let id = module.funcs.iter().next().expect("a kernel").0;
            module.funcs[id].bounds.max_registers = most;
            let mut func = module.funcs[id].clone();
            moved += schedule(&module, &mut func);
            module.funcs[id] = func;
            let after = terrace_ptx::print(&module);
            assert_eq!(
                before,
                result(&after),
                "seed {seed}, {most:?}\n{text}\n{after}"
            );
        }
    }
    assert!(moved > 3000, "{moved}");
}
