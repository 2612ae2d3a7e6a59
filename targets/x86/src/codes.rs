//! The encoding of a mnemonic with operands of some kinds.

use super::inst::{Arg, Inst, Level, Width};
use iced_x86::{Code, EncodingKind, Mnemonic, OpCodeOperandKind as O};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// All codes of each mnemonic that there are in 64-bit code.
fn all() -> &'static FxHashMap<Mnemonic, Vec<Code>> {
    static ALL: OnceLock<FxHashMap<Mnemonic, Vec<Code>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: FxHashMap<Mnemonic, Vec<Code>> = FxHashMap::default();
        for code in Code::values() {
            let info = code.op_code();
            let kinds = [EncodingKind::Legacy, EncodingKind::VEX, EncodingKind::EVEX];
            if info.is_instruction() && info.mode64() && kinds.contains(&info.encoding()) {
                all.entry(code.mnemonic()).or_default().push(code);
            }
        }
        all
    })
}

/// The code of a mnemonic with these operands. With AVX-512 vectors have its forms, which alone can
/// name all registers.
pub(crate) fn find(mnemonic: Mnemonic, inst: &Inst, level: Level) -> Option<Code> {
    let fits = |code: &&Code| {
        let info = code.op_code();
        let count = info.op_count() as usize;
        count == inst.args.len()
            && (inst.mask.is_none() || info.can_use_op_mask_register())
            && (info.encoding() != EncodingKind::EVEX || level == Level::V4)
            && inst
                .args
                .iter()
                .enumerate()
                .all(|(i, a)| takes(info.op_kind(i as u32), a))
    };
    let found = all().get(&mnemonic)?.iter().filter(fits);
    found
        .max_by_key(|code| {
            let evex = code.op_code().encoding() == EncodingKind::EVEX;
            // Of those that there are, one with the shortest immediate, and a register in the opcode:
            // the other form of `pop` is so rare that valgrind does not know it.
            let immediate = std::cmp::Reverse(immediate_bytes(**code));
            (evex, immediate, has_register_in_opcode(**code))
        })
        .copied()
}

fn has_register_in_opcode(code: Code) -> bool {
    let info = code.op_code();
    let kinds = (0..info.op_count()).map(|i| info.op_kind(i));
    kinds
        .into_iter()
        .any(|k| matches!(k, O::r16_opcode | O::r32_opcode | O::r64_opcode))
}

fn immediate_bytes(code: Code) -> u32 {
    let info = code.op_code();
    let of = |i| match info.op_kind(i) {
        O::imm64 => 8,
        O::imm32 | O::imm32sex64 => 4,
        O::imm16 => 2,
        _ => 0,
    };
    (0..info.op_count()).map(of).sum()
}

/// Whether an operand of this kind can be what is asked for.
fn takes(kind: O, arg: &Arg) -> bool {
    let width = match arg {
        Arg::Use(_, w) | Arg::Def(_, w) | Arg::Change { width: w, .. } => *w,
        Arg::Mem(m) => {
            let is = |bytes| m.bytes.is_none_or(|b| b == bytes);
            return match kind {
                O::mem | O::xmm_or_mem | O::ymm_or_mem | O::zmm_or_mem | O::k_or_mem => true,
                O::r8_or_mem => is(1),
                O::r16_or_mem => is(2),
                O::r32_or_mem => is(4),
                O::r64_or_mem => is(8),
                _ => false,
            };
        }
        Arg::Imm(v) => {
            return match kind {
                O::imm8 => (-128..256).contains(v),
                O::imm8sex16 | O::imm8sex32 | O::imm8sex64 => i8::try_from(*v).is_ok(),
                O::imm16 => i16::try_from(*v).is_ok(),
                O::imm32 => i32::try_from(*v).is_ok() || u32::try_from(*v).is_ok(),
                O::imm32sex64 => i32::try_from(*v).is_ok(),
                O::imm64 => true,
                _ => false,
            };
        }
    };
    match width {
        Width::B => matches!(kind, O::r8_or_mem | O::r8_reg | O::r8_opcode),
        Width::W => matches!(kind, O::r16_or_mem | O::r16_reg | O::r16_rm | O::r16_opcode),
        Width::D => matches!(
            kind,
            O::r32_or_mem | O::r32_reg | O::r32_rm | O::r32_opcode | O::r32_vvvv
        ),
        Width::Q => matches!(
            kind,
            O::r64_or_mem | O::r64_reg | O::r64_rm | O::r64_opcode | O::r64_vvvv
        ),
        Width::X => matches!(
            kind,
            O::xmm_or_mem | O::xmm_reg | O::xmm_rm | O::xmm_vvvv | O::xmm_is4
        ),
        Width::Y => matches!(
            kind,
            O::ymm_or_mem | O::ymm_reg | O::ymm_rm | O::ymm_vvvv | O::ymm_is4
        ),
        Width::Z => matches!(kind, O::zmm_or_mem | O::zmm_reg | O::zmm_rm | O::zmm_vvvv),
        Width::K => matches!(
            kind,
            O::k_or_mem | O::k_reg | O::kp1_reg | O::k_rm | O::k_vvvv
        ),
    }
}
