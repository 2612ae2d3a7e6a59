//! Every instruction that only computes, alone or as a warp, on many operands: PTX text, the operands
//! and what the emulator makes of them, for `benches/gpu/bits` to compare with a GPU.
//!
//! `cargo run --release -p terrace-emulator --example bits -- DIR` writes
//! `bits.ptx` with kernels `k0`, `k1`, .., `names` (a line for each), `input` (three
//! arrays of 64-bit words) and `output` (an array for each kernel).

mod collective;

use std::fmt::Write as _;
use std::io::Write as _;
use terrace_emulator::{Checks, Config, Launch, Memory, Module, launch};
use terrace_ptx::Op;
use terrace_ptx::form::{Form, Kind, Slot, forms, resolve};
use terrace_ptx::modifiers::Mods;
use terrace_ptx::op::Effect;
use terrace_ptx::types::{RegTy, Ty};

/// Operands of each kernel.
const N: usize = 4096;

fn main() {
    let Some(dir) = std::env::args().nth(1) else {
        eprintln!("usage: bits DIR");
        std::process::exit(2);
    };
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_string();
    let mut names = Vec::new();
    for &op in Op::ALL {
        let computes = op.effect() == Effect::Pure && !matches!(op, Op::Cvta | Op::Isspacep);
        for form in forms(op).iter().filter(|_| computes) {
            for (suffix, mods, tys) in variants(form) {
                if let Some(body) = kernel(op, form, &suffix, &mods, &tys) {
                    let _ = write!(text, "{}", frame(names.len(), &body));
                    names.push(format!("{}{suffix}", op.name()));
                }
            }
        }
    }
    for (name, body) in collective::kernels() {
        let _ = write!(text, "{}", frame(names.len(), &body));
        names.push(name);
    }
    let input = operands();
    let memory = Memory::new(1 << 34);
    let module = Module::load(&memory, &text).unwrap_or_else(|e| panic!("{e}"));
    let arrays: Vec<u64> = input
        .iter()
        .map(|a| {
            let at = memory.alloc(8 * N as u64).expect("there is memory");
            memory.write(at, &bytes(a)).expect("it is allocated");
            at
        })
        .collect();
    let out = memory.alloc(8 * N as u64).expect("there is memory");
    let mut output = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let params = bytes(&[arrays[0], arrays[1], arrays[2], out]);
        let run = Launch {
            kernel: module.kernel(&format!("k{i}")).expect("it was written"),
            config: Config {
                grid: [N as u32 / 128, 1, 1],
                block: [128, 1, 1],
                shared_bytes: 0,
            },
            params: &params,
        };
        let outcome = launch(&memory, &run, &Checks::default()).expect("a launch that is right");
        assert!(
            outcome.findings.is_empty(),
            "{name}: {}",
            outcome.findings[0]
        );
        let mut result = vec![0; 8 * N];
        memory.read(out, &mut result).expect("it is allocated");
        output.extend_from_slice(&result);
    }
    let write = |name: &str, bytes: &[u8]| {
        let path = std::path::Path::new(&dir).join(name);
        let mut file =
            std::fs::File::create(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        file.write_all(bytes)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    };
    write("bits.ptx", text.as_bytes());
    write("names", (names.join("\n") + "\n").as_bytes());
    write(
        "input",
        &input.iter().flat_map(|a| bytes(a)).collect::<Vec<u8>>(),
    );
    write("output", &output);
    println!("{} kernels, {N} operands each", names.len());
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Every combination of modifiers and types of a form, with its text.
fn variants(form: &Form) -> Vec<(String, Mods, [Ty; 4])> {
    let mut all = vec![(String::new(), Mods::default(), [Ty::None; 4])];
    for slot in form.slots {
        let mut next = Vec::new();
        for (text, mods, tys) in &all {
            match *slot {
                Slot::Lit(lit) => next.push((format!("{text}{lit}"), *mods, *tys)),
                Slot::Opt(field, mask) | Slot::Req(field, mask) => {
                    if matches!(slot, Slot::Opt(..)) {
                        next.push((text.clone(), *mods, *tys));
                    }
                    for (value, spelling) in field.spellings().iter().enumerate().skip(1) {
                        if mask >> value & 1 == 1 {
                            let mut mods = *mods;
                            mods.set(field, value as u8);
                            next.push((format!("{text}{spelling}"), mods, *tys));
                        }
                    }
                }
                Slot::Ty(at, set) => {
                    for ty in set.iter() {
                        let mut tys = *tys;
                        tys[usize::from(at)] = ty;
                        next.push((format!("{text}{}", ty.suffix()), *mods, tys));
                    }
                }
            }
        }
        all = next;
    }
    all
}

/// The register of operand `i`.
fn register(ty: Ty, i: usize) -> String {
    match ty.reg() {
        RegTy::Pred => format!("%p{i}"),
        RegTy::B16 => format!("%h{i}"),
        RegTy::B32 | RegTy::F32 => format!("%r{i}"),
        RegTy::B64 | RegTy::F64 => format!("%x{i}"),
    }
}

/// Takes operand `i` from its word.
fn take(ty: Ty, i: usize) -> String {
    let to = register(ty, i);
    match ty.reg() {
        RegTy::Pred => format!("and.b64 %x{i}, %w{i}, 1; setp.ne.u64 {to}, %x{i}, 0;"),
        RegTy::B16 => format!("cvt.u16.u64 {to}, %w{i};"),
        RegTy::B32 | RegTy::F32 => format!("cvt.u32.u64 {to}, %w{i};"),
        RegTy::B64 | RegTy::F64 => format!("mov.b64 {to}, %w{i};"),
    }
}

/// Puts a result into the word that is stored.
fn give(ty: Ty, from: &str) -> String {
    match ty.reg() {
        RegTy::Pred => format!("selp.u64 %w9, 1, 0, {from};"),
        RegTy::B16 => format!("cvt.u64.u16 %w9, {from};"),
        RegTy::B32 | RegTy::F32 => format!("cvt.u64.u32 %w9, {from};"),
        RegTy::B64 | RegTy::F64 => format!("mov.b64 %w9, {from};"),
    }
}

/// The statements that compute; none for a form with operands of other kinds.
fn kernel(op: Op, form: &Form, suffix: &str, _mods: &Mods, tys: &[Ty; 4]) -> Option<String> {
    let mut before = String::new();
    let mut operands = Vec::new();
    let mut after = String::new();
    let mut source = 0;
    for kind in form.operands {
        match *kind {
            Kind::Def(t) | Kind::DefWide(t) => {
                let ty = resolve(t, tys);
                operands.push(register(ty, 9));
                after = give(ty, &register(ty, 9));
            }
            Kind::DefPair(_) => {
                operands.push("%p9|%p8".to_string());
                after = "selp.u64 %w9, 1, 0, %p9; selp.u64 %w8, 2, 0, %p8; or.b64 %w9, %w9, %w8;"
                    .to_string();
            }
            // Positions and lengths of fields.
            Kind::Use(_) if op == Op::Bfi && source >= 2 => {
                operands.push(["5", "9"][source - 2].to_string());
                source += 1;
            }
            Kind::Use(t) | Kind::UseReg(t) | Kind::UseWide(t) | Kind::UseAny(t) => {
                let ty = resolve(t, tys);
                before += &take(ty, source);
                if op == Op::Bfe && source > 0 {
                    // Positions and lengths beyond 255 mean nothing.
                    before += &format!("and.b32 %r{source}, %r{source}, 255;");
                }
                operands.push(register(ty, source));
                source += 1;
            }
            Kind::UsePred => {
                before += &take(Ty::Pred, source);
                operands.push(format!("!{}", register(Ty::Pred, source)));
                source += 1;
            }
            // a where c, else b: no two operands may be exchanged.
            Kind::Const(..) if op == Op::Lop3 => operands.push("0xe4".to_string()),
            _ => return None,
        }
    }
    if source > 3 && op != Op::Bfi {
        return None;
    }
    Some(format!(
        "{before}\n{}{suffix} {};\n{after}",
        op.name(),
        operands.join(", ")
    ))
}

fn frame(i: usize, body: &str) -> String {
    format!(
        ".visible .entry k{i}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out)\n{{\n\
         .reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %x<10>; .reg .b64 %w<10>;\n\
         .reg .b32 %t<4>; .reg .b64 %y<8>;\n\
         mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, %t1, %t2;\n\
         mul.wide.u32 %y0, %t0, 8; ld.param.u64 %y1, [a]; ld.param.u64 %y2, [b]; ld.param.u64 %y3, [c];\n\
         ld.param.u64 %y4, [out]; add.u64 %y1, %y1, %y0; add.u64 %y2, %y2, %y0; add.u64 %y3, %y3, %y0;\n\
         add.u64 %y4, %y4, %y0; ld.global.u64 %w0, [%y1]; ld.global.u64 %w1, [%y2]; ld.global.u64 %w2, [%y3];\n\
         {body}\nst.global.u64 [%y4], %w9; ret;\n}}\n"
    )
}

/// Words whose low 16, 32 and 64 bits are numbers of many kinds.
fn operands() -> [Vec<u64>; 3] {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let special64 = [
        0.0f64,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        1e-310,
        4.0,
        6.25,
        65504.0,
        2147483648.0,
        9.3e18,
    ];
    std::array::from_fn(|_| {
        (0..N)
            .map(|i| {
                let r = random();
                let special = special64[(r % 20) as usize];
                match i % 8 {
                    0 => special.to_bits(),
                    1 => u64::from((special as f32).to_bits()) | r << 32,
                    // A special half in the low bits, and in the pair.
                    2 => {
                        let halves = [
                            0u64, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1, 0x3ff, 0x7bff,
                            0x3f80, 0x7f80,
                        ];
                        halves[(r % 12) as usize]
                            | halves[(r >> 8) as usize % 12] << 16
                            | r >> 32 << 32
                    }
                    3 => (r % 80) | (r >> 40) << 48,
                    4 => r,
                    // Numbers of moderate size.
                    5 => ((r as i64 as f64) / 1e17).to_bits(),
                    6 => {
                        (((r as i64 as f64) / 1e17).to_bits() >> 32)
                            | u64::from(((r as i32 as f32) / 1e7).to_bits())
                    }
                    _ => u64::from(((r as i32 as f32) / 3e7).to_bits()) | r << 32,
                }
            })
            .collect()
    })
}
