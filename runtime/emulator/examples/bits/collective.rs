//! Kernels of what a warp computes together, and of sequences with a carry: bodies
//! between the frame's loads of `%w0`, `%w1`, `%w2` and its store of `%w9`.

use std::fmt::Write as _;
use terrace_ptx::form::{Form, Kind, forms};
use terrace_ptx::modifiers::Mods;
use terrace_ptx::types::Ty;
use terrace_ptx::{Op, op::Effect};

/// Names and bodies.
pub fn kernels() -> Vec<(String, String)> {
    let mut out = Vec::new();
    for &op in Op::ALL {
        for form in forms(op) {
            for (suffix, mods, tys) in super::variants(form) {
                let name = format!("{}{suffix}", op.name());
                match op {
                    Op::Mma => products(&name, form, &mods, &tys, &mut out),
                    Op::Match | Op::Redux => out.push(agreement(op, &name, &tys)),
                    Op::Ldmatrix => matrices(&name, &mods, &mut out),
                    _ if op.effect() == Effect::Carry => carries(op, &name, &tys, &mut out),
                    _ => {}
                }
            }
        }
    }
    out
}

/// The flag is set, used, and what it holds after goes to the upper half of the
/// word, or of 64 bits to a kernel of its own.
fn carries(op: Op, name: &str, tys: &[Ty; 4], out: &mut Vec<(String, String)>) {
    let ty = tys[0].suffix();
    let (prefix, bits) = match tys[0].bits() {
        32 => ("%r", 32),
        _ => ("%x", 64),
    };
    let borrow = matches!(op, Op::SubCc | Op::Subc);
    let (set, get) = if borrow {
        ("sub.cc", "subc")
    } else {
        ("add.cc", "addc")
    };
    let take: String = (0..3)
        .map(|i| match bits {
            32 => format!("cvt.u32.u64 %r{i}, %w{i};"),
            _ => format!("mov.b64 %x{i}, %w{i};"),
        })
        .collect();
    let third = match op {
        Op::MadLoCc | Op::MadHiCc | Op::MadcLo | Op::MadcHi => format!(", {prefix}2"),
        _ => String::new(),
    };
    let body = format!(
        "{take} {set}{ty} {prefix}8, {prefix}1, {prefix}2;\n\
         {name} {prefix}9, {prefix}0, {prefix}1{third};\n{get}.u32 %r7, 0, 0;\n"
    );
    if bits == 32 {
        out.push((
            name.to_string(),
            format!("{body}mov.b64 %w9, {{%r9, %r7}};"),
        ));
        return;
    }
    out.push((name.to_string(), format!("{body}mov.b64 %w9, %x9;")));
    out.push((
        format!("{name} (flag)"),
        format!("{body}cvt.u64.u32 %w9, %r7;"),
    ));
}

/// Of few different values, so that some agree.
fn agreement(op: Op, name: &str, tys: &[Ty; 4]) -> (String, String) {
    let take = match (op, tys[0].bits()) {
        (Op::Match, 64) => "and.b64 %x0, %w0, 0x100000003;",
        (Op::Match, _) => "cvt.u32.u64 %r0, %w0; and.b32 %r0, %r0, 7;",
        _ => "cvt.u32.u64 %r0, %w0;",
    };
    let value = if tys[0].bits() == 64 { "%x0" } else { "%r0" };
    let body = match name.contains(".all") {
        true => format!(
            "{take}{name} %r9|%p9, {value}, -1; selp.u32 %r8, 1, 0, %p9; mov.b64 %w9, {{%r9, %r8}};"
        ),
        false => format!("{take}{name} %r9, {value}, -1; cvt.u64.u32 %w9, %r9;"),
    };
    (name.to_string(), body)
}

/// Each thread puts 16 bytes into shared memory, of which the warp's are four
/// matrices.
fn matrices(name: &str, mods: &Mods, out: &mut Vec<(String, String)>) {
    if !name.contains(".shared") {
        return;
    }
    let n = mods.tiles.count();
    let regs: Vec<String> = (0..n).map(|i| format!("%r{}", i + 4)).collect();
    let body = format!(
        ".shared .align 16 .b8 tile[2048]; mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 4; mov.u32 %r1, tile;\n\
         add.u32 %r0, %r0, %r1; st.shared.v2.b64 [%r0], {{%w0, %w1}}; bar.sync 0;\n\
         mov.b32 %r5, 0; mov.b32 %r6, 0; mov.b32 %r7, 0;\n{name} {{{}}}, [%r0];\n",
        regs.join(", ")
    );
    out.push((
        name.to_string(),
        format!("{body}mov.b64 %w9, {{%r4, %r5}};"),
    ));
    if n == 4 {
        out.push((
            format!("{name} (upper)"),
            format!("{body}mov.b64 %w9, {{%r6, %r7}};"),
        ));
    }
}

/// Two kernels' worth of operands of a product: small whole numbers, which add up
/// exactly, and random ones. Those on which bits are lost may differ from the
/// machine, but for doubles, and are marked.
fn products(name: &str, form: &Form, mods: &Mods, tys: &[Ty; 4], out: &mut Vec<(String, String)>) {
    let _ = mods;
    let counts: Vec<usize> = form
        .operands
        .iter()
        .map(|k| match k {
            Kind::DefRegs(_, n) | Kind::UseRegs(_, n) => usize::from(*n),
            _ => 0,
        })
        .collect();
    let [nd, na, nb, nc] = counts[..] else {
        return;
    };
    let whole_only = matches!(tys[1], Ty::U8 | Ty::S8);
    for random in [false, true] {
        if random && whole_only {
            continue;
        }
        let mut before = String::from(
            ".reg .b64 %v; .reg .b32 %q<4>; .reg .f32 %f<20>; .reg .f64 %d<20>; .reg .b32 %m<20>; \
             .reg .b16 %g<4>;\n",
        );
        let (mut lists, mut at) = (vec![Vec::new(); 4], 0);
        for (list, n) in [(1, na), (2, nb), (3, nc), (0, nd)] {
            for _ in 0..n {
                let ty = tys[list];
                if list != 0 {
                    operand(&mut before, at, ty, random);
                }
                lists[list].push(match ty {
                    Ty::F64 => format!("%d{at}"),
                    Ty::F32 => format!("%f{at}"),
                    _ => format!("%m{at}"),
                });
                at += 1;
            }
        }
        let braced = |l: &Vec<String>| format!("{{{}}}", l.join(", "));
        let body = format!(
            "{before}{name} {}, {}, {}, {};\n",
            braced(&lists[0]),
            braced(&lists[1]),
            braced(&lists[2]),
            braced(&lists[3])
        );
        let what = match (random, tys[0]) {
            (false, _) => "whole",
            (true, Ty::F64) => "random",
            (true, _) => "random, may lose bits",
        };
        let words: Vec<String> = match tys[0] {
            Ty::F64 => lists[0]
                .iter()
                .map(|d| format!("mov.b64 %w9, {d};"))
                .collect(),
            _ => lists[0]
                .chunks(2)
                .map(|d| format!("mov.b64 %w9, {{{}, {}}};", d[0], d[1]))
                .collect(),
        };
        for (i, word) in words.iter().enumerate() {
            out.push((format!("{name} ({what}) {i}"), format!("{body}{word}")));
        }
    }
}

/// Makes operand register `i` out of the words.
fn operand(out: &mut String, i: usize, ty: Ty, random: bool) {
    // Different bits for each register.
    let (a, b) = (i % 3, (i + 1) % 3);
    let odd = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(2 * i as u64 + 1) | 1;
    let _ = write!(
        out,
        "mul.lo.u64 %v, %w{a}, {odd}; xor.b64 %v, %v, %w{b}; shr.u64 %x9, %v, 29; xor.b64 %v, %v, %x9; \
         cvt.u32.u64 %q0, %v; shr.u64 %x9, %v, 32; cvt.u32.u64 %q1, %x9; "
    );
    let _ = match (ty, random) {
        (Ty::U8 | Ty::S8 | Ty::S32, _) => write!(out, "mov.b32 %m{i}, %q0;"),
        (Ty::F64, true) => write!(
            out,
            "and.b64 %v, %v, 0x80ffffffffffffff; or.b64 %v, %v, 0x3f00000000000000; mov.b64 %d{i}, %v;"
        ),
        (Ty::F32 | Ty::Tf32, true) => {
            let to = if ty == Ty::F32 { "%f" } else { "%m" };
            write!(
                out,
                "and.b32 %q0, %q0, 0x81ffffff; or.b32 %q0, %q0, 0x3e000000; mov.b32 {to}{i}, %q0;"
            )
        }
        (Ty::F16, true) => write!(
            out,
            "and.b32 %q0, %q0, 0x8fff8fff; or.b32 %m{i}, %q0, 0x30003000;"
        ),
        (Ty::Bf16, true) => write!(
            out,
            "and.b32 %q0, %q0, 0x80ff80ff; or.b32 %m{i}, %q0, 0x3f003f00;"
        ),
        (Ty::F64, false) => write!(out, "bfe.s32 %q0, %q0, 3, 8; cvt.rn.f64.s32 %d{i}, %q0;"),
        (Ty::F32, false) => write!(out, "bfe.s32 %q0, %q0, 3, 12; cvt.rn.f32.s32 %f{i}, %q0;"),
        (Ty::Tf32, false) => write!(
            out,
            "bfe.s32 %q0, %q0, 3, 6; cvt.rn.f32.s32 %f19, %q0; mov.b32 %m{i}, %f19;"
        ),
        (Ty::Bf16, false) => write!(
            out,
            "bfe.s32 %q0, %q0, 3, 5; bfe.s32 %q1, %q1, 3, 5; cvt.rn.f32.s32 %f18, %q0; \
             cvt.rn.f32.s32 %f19, %q1; mov.b32 %q0, %f18; mov.b32 %q1, %f19; prmt.b32 %m{i}, %q0, %q1, 0x7632;"
        ),
        _ => write!(
            out,
            "bfe.s32 %q0, %q0, 3, 4; bfe.s32 %q1, %q1, 3, 4; cvt.rn.f16.s32 %g0, %q0; \
             cvt.rn.f16.s32 %g1, %q1; mov.b32 %m{i}, {{%g0, %g1}};"
        ),
    };
    out.push('\n');
}
