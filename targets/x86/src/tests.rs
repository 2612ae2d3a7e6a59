//! What functions become, instruction by instruction.

use super::{
    Arg, Base, Branch, Class, Condition, Func, Inst, Kind, Level, Mem, Mnemonic, Reg, Width,
    compile,
};
use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};

/// The instructions of machine code, without addresses, as a disassembler reads the bytes.
fn read(bytes: &[u8]) -> Vec<String> {
    let mut formatter = IntelFormatter::new();
    let mut out = Vec::new();
    for i in Decoder::new(64, bytes, DecoderOptions::NONE) {
        let mut text = String::new();
        formatter.format(&i, &mut text);
        out.push(text);
    }
    out
}

fn load(to: Reg, base: Reg, index: Reg, w: Width) -> Inst {
    let m = Mem {
        index: Some((index, 8)),
        displacement: 64,
        ..Mem::at(base)
    };
    Inst::op(Mnemonic::Vmovups, &[Arg::Def(to, w), Arg::Mem(m)])
}

/// A loop that adds `count` registers of a row to itself, `(pointer, number) -> 0`.
fn sums(level: Level, w: Width, count: usize) -> Func {
    let mut f = Func::new(level);
    let (begin, body, between, end) = (f.block(), f.block(), f.block(), f.block());
    let (pointer, number, zero, i, next) = {
        let mut int = || f.reg(Class::Int);
        (int(), int(), int(), int(), int())
    };
    let args = [Arg::Def(pointer, Width::Q), Arg::Def(number, Width::Q)];
    f.push(begin, Inst::new(Kind::Args, &args));
    f.push(
        begin,
        Inst::op(Mnemonic::Mov, &[Arg::Def(zero, Width::D), Arg::Imm(0)]),
    );
    f.end(begin, Inst::new(Kind::Jump, &[]), vec![(body, vec![zero])]);
    f.add_param(body, i);
    let loaded: Vec<Reg> = (0..count).map(|_| f.reg(Class::Vector)).collect();
    for r in &loaded {
        f.push(body, load(*r, pointer, i, w));
    }
    let mut sum = loaded[0];
    for r in &loaded {
        let new = f.reg(Class::Vector);
        let args = [Arg::Def(new, w), Arg::Use(sum, w), Arg::Use(*r, w)];
        f.push(body, Inst::op(Mnemonic::Vaddpd, &args));
        sum = new;
    }
    let to = Mem {
        index: Some((i, 8)),
        ..Mem::at(pointer)
    };
    f.push(
        body,
        Inst::op(Mnemonic::Vmovups, &[Arg::Mem(to), Arg::Use(sum, w)]),
    );
    let change = Arg::Change {
        from: i,
        to: next,
        width: Width::Q,
    };
    f.push(body, Inst::op(Mnemonic::Add, &[change, Arg::Imm(8)]));
    let args = [Arg::Use(next, Width::Q), Arg::Use(number, Width::Q)];
    f.push(body, Inst::op(Mnemonic::Cmp, &args));
    let branch = Inst::new(Kind::Branch(Branch::If(Condition::L)), &[]);
    f.end(body, branch, vec![(between, vec![]), (end, vec![])]);
    f.end(
        between,
        Inst::new(Kind::Jump, &[]),
        vec![(body, vec![next])],
    );
    let status = f.reg(Class::Int);
    f.push(
        end,
        Inst::op(Mnemonic::Mov, &[Arg::Def(status, Width::D), Arg::Imm(0)]),
    );
    f.end(
        end,
        Inst::new(Kind::Return, &[Arg::Use(status, Width::D)]),
        vec![],
    );
    f
}

#[test]
fn a_loop_at_each_level() {
    for (level, w, register) in [(Level::V3, Width::Y, "ymm"), (Level::V4, Width::Z, "zmm")] {
        let code = compile(&sums(level, w, 2)).unwrap();
        let all = read(&code.bytes);
        let lines = |word: &str| all.iter().filter(|l| l.starts_with(word)).count();
        assert_eq!(lines("vaddpd"), 2, "{all:#?}");
        assert_eq!(lines("vmovups"), 3, "{all:#?}");
        assert!(
            all.iter()
                .filter(|l| l.starts_with('v'))
                .all(|l| l.contains(register) || l == "vzeroupper")
        );
        // The block between the loop and itself is none.
        assert_eq!(lines("j"), 1, "{all:#?}");
        assert!(all.iter().any(|l| l.starts_with("jl ")), "{all:#?}");
        let [.., zero, ret] = &all[..] else { panic!() };
        assert_eq!([zero, ret], ["vzeroupper", "ret"], "{all:#?}");
        assert!(code.text().contains(register));
    }
}

/// More values than registers go to the stack, which is aligned for them, and the registers that
/// others keep values in are as they were.
#[test]
fn values_go_to_the_stack() {
    for (level, w, count) in [(Level::V3, Width::Y, 20), (Level::V4, Width::Z, 40)] {
        let bytes = compile(&sums(level, w, count)).unwrap().bytes;
        let all = read(&bytes);
        // Where the last register is taken back stands the byte that says which.
        assert!(bytes.ends_with(&[0x5d, 0xc3]), "{bytes:x?}");
        let has = |line: &str| all.iter().any(|l| l == line);
        assert!(
            has("push rbp") && has("mov rbp,rsp") && has("pop rbp"),
            "{all:#?}"
        );
        assert!(has("and rsp,0FFFFFFFFFFFFFFC0h"), "{all:#?}");
        assert!(
            all.iter().any(|l| l.starts_with("vmovups [rsp")),
            "{all:#?}"
        );
        let pushed = all.iter().filter(|l| l.starts_with("push")).count();
        let popped = all.iter().filter(|l| l.starts_with("pop")).count();
        assert_eq!(pushed, popped, "{all:#?}");
    }
}

/// An instruction on few registers, whose text a disassembler reads.
fn one(level: Level, make: impl Fn(&mut Func) -> Vec<Inst>) -> Result<Vec<String>, super::Error> {
    let mut f = Func::new(level);
    let b = f.block();
    for i in make(&mut f) {
        f.push(b, i);
    }
    let status = f.reg(Class::Int);
    f.push(
        b,
        Inst::op(Mnemonic::Mov, &[Arg::Def(status, Width::D), Arg::Imm(0)]),
    );
    f.end(
        b,
        Inst::new(Kind::Return, &[Arg::Use(status, Width::D)]),
        vec![],
    );
    compile(&f).map(|c| read(&c.bytes))
}

#[test]
fn masks_choose_lanes() {
    let all = one(Level::V4, |f| {
        let (x, y, k, z) = (
            f.reg(Class::Vector),
            f.reg(Class::Vector),
            f.reg(Class::Mask),
            f.reg(Class::Vector),
        );
        let p = f.reg(Class::Int);
        let u = |r| Arg::Use(r, Width::Z);
        let zero = |r| Inst::new(Kind::Zero, &[Arg::Def(r, Width::Z)]);
        let how = Arg::Imm(0x11);
        vec![
            Inst::new(Kind::Args, &[Arg::Def(p, Width::Q)]),
            zero(x),
            zero(y),
            Inst::op(Mnemonic::Vcmppd, &[Arg::Def(k, Width::K), u(x), u(y), how]),
            Inst {
                mask: Some(k),
                merge: true,
                ..Inst::op(Mnemonic::Vblendmpd, &[Arg::Def(z, Width::Z), u(x), u(y)])
            },
            Inst::op(Mnemonic::Vmovups, &[Arg::Mem(Mem::at(p)), u(z)]),
        ]
    });
    let all = all.unwrap();
    assert!(
        all.iter().any(|l| l.starts_with("vcmplt_oqpd k")),
        "{all:#?}"
    );
    assert!(
        all.iter()
            .any(|l| l.starts_with("vblendmpd zmm") && l.contains("{k")),
        "{all:#?}"
    );
}

#[test]
fn memory_of_the_function() {
    let all = one(Level::V3, |f| {
        let (slot, r) = (f.slot(24), f.reg(Class::Int));
        let m = Mem {
            base: Base::Slot(slot),
            index: None,
            displacement: 8,
            broadcast: false,
            bytes: None,
        };
        vec![
            Inst::op(Mnemonic::Mov, &[Arg::Def(r, Width::D), Arg::Imm(7)]),
            Inst::op(Mnemonic::Mov, &[Arg::Mem(m), Arg::Use(r, Width::Q)]),
        ]
    });
    let all = all.unwrap();
    assert!(
        all.iter().any(|l| l.starts_with("mov [rsp+8],")),
        "{all:#?}"
    );
}

#[test]
fn what_a_level_lacks_is_an_error() {
    let error = one(Level::V3, |f| {
        let (x, p) = (f.reg(Class::Vector), f.reg(Class::Int));
        let m = Arg::Mem(Mem::at(p));
        vec![
            Inst::new(Kind::Args, &[Arg::Def(p, Width::Q)]),
            Inst::op(Mnemonic::Vmovups, &[Arg::Def(x, Width::Z), m]),
            Inst::op(Mnemonic::Vmovups, &[m, Arg::Use(x, Width::Z)]),
        ]
    });
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("no form of Vmovups"), "{error}");
}
