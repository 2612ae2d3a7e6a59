//! What warps and blocks do together, and copies that run beside the threads.

use super::code::{Access, Act, NO_ROW, Ordering, R, Rendezvous, Space};
use super::lower::{Lower, Scope};
use crate::count::Class;
use crate::value::int::signed;
use crate::value::product::{Element, Product, Sum};
use smallvec::SmallVec;
use terrace_ptx::form::Form;
use terrace_ptx::modifiers::{AtomOp, Sat, Trans, VoteMode};
use terrace_ptx::{Address, Base, Inst, Op, Operand, Space as PtxSpace, Ty};

pub(super) fn lower(lower: &mut Lower<'_>, scope: &Scope<'_>, form: &Form) -> Option<(Act, Class)> {
    let inst = scope.inst;
    Some(match inst.op {
        Op::Match => {
            let (to, agrees) = lower.results(scope)?;
            let [value, members] = two(lower, scope, form)?;
            let all = inst.mods.vote == VoteMode::All;
            let act = Act::Match {
                all,
                to,
                agrees,
                value,
                members,
            };
            (act, Class::Synchronize)
        }
        Op::Redux => {
            let (to, _) = lower.results(scope)?;
            let [value, members] = two(lower, scope, form)?;
            let act = Act::Redux {
                f: combination(inst),
                bits: inst.ty().bits(),
                to,
                value,
                members,
            };
            (act, Class::Synchronize)
        }
        Op::Mma => (product(lower, scope)?, Class::Matrix),
        Op::Ldmatrix | Op::Stmatrix => {
            let load = inst.op == Op::Ldmatrix;
            let at = usize::from(load);
            let (Some(Operand::Addr(address)), Some(Operand::Vec(regs))) =
                (inst.operands.get(at), inst.operands.get(1 - at))
            else {
                return lower.error("operands that do not fit");
            };
            let mut access = access(lower, scope, *address, inst.mods.space, 16)?;
            access.data = regs.iter().map(|r| lower.row(scope, *r)).collect();
            let act = Act::Matrices {
                load,
                transposed: inst.mods.trans == Trans::On,
                access,
            };
            (act, if load { Class::Load } else { Class::Store })
        }
        Op::CpAsync => {
            lower.has_copies = true;
            let bytes = inst.access_bytes();
            let [Operand::Addr(to), Operand::Addr(from), _, rest @ ..] = inst.operands.as_slice()
            else {
                return lower.error("operands that do not fit");
            };
            if bytes == 0 {
                return lower.error("a copy of 4, 8 or 16 bytes is possible");
            }
            let read = match (rest.first(), form.operands.get(3)) {
                (Some(operand), Some(kind)) => lower.source(scope, operand, *kind)?,
                _ => NO_ROW,
            };
            let act = Act::Copy {
                to: access(lower, scope, *to, PtxSpace::Shared, bytes)?,
                from: access(lower, scope, *from, PtxSpace::Global, bytes)?,
                read,
            };
            (act, Class::Copy)
        }
        Op::CpAsyncCommit => (Act::CopyCommit, Class::Synchronize),
        Op::CpAsyncWait => {
            let pending = inst.operands.first().and_then(Operand::as_imm);
            let Some(pending) = pending.and_then(|n| u32::try_from(n).ok()) else {
                return lower.error("the number of groups must be a constant");
            };
            let pending = Some(pending);
            (Act::CopyWait { pending }, Class::Synchronize)
        }
        _ => (Act::CopyWait { pending: None }, Class::Synchronize),
    })
}

/// The rows of two sources after the result.
fn two(lower: &mut Lower<'_>, scope: &Scope<'_>, form: &Form) -> Option<[R; 2]> {
    let mut rows = [NO_ROW; 2];
    let pairs = scope.inst.operands.iter().zip(form.operands).skip(1);
    for ((operand, kind), row) in pairs.zip(&mut rows) {
        *row = lower.source(scope, operand, *kind)?;
    }
    Some(rows)
}

fn combination(inst: &Inst) -> fn(u64, u64) -> u64 {
    let is_signed = inst.ty() == Ty::S32;
    match inst.mods.atom {
        AtomOp::Min if is_signed => |a, b| if signed(a, 32) <= signed(b, 32) { a } else { b },
        AtomOp::Max if is_signed => |a, b| if signed(a, 32) >= signed(b, 32) { a } else { b },
        AtomOp::Min => u64::min,
        AtomOp::Max => u64::max,
        AtomOp::And => |a, b| a & b,
        AtomOp::Or => |a, b| a | b,
        AtomOp::Xor => |a, b| a ^ b,
        _ => u64::wrapping_add,
    }
}

/// One of the two accesses of a copy, or that of a matrix.
fn access(
    lower: &mut Lower<'_>,
    scope: &Scope<'_>,
    address: Address,
    space: PtxSpace,
    bytes: u32,
) -> Option<Access> {
    let space = match (space, address.base) {
        (PtxSpace::Generic, Base::Sym(sym)) => lower.space_of(scope, sym)?,
        (space, _) => space,
    };
    Some(Access {
        space: match space {
            PtxSpace::Generic => Space::Generic,
            PtxSpace::Shared => Space::Shared,
            PtxSpace::Local => Space::Local,
            PtxSpace::Param => Space::Param,
            PtxSpace::Global | PtxSpace::Const => Space::Global,
        },
        base: lower.base(scope, address.base)?,
        offset: i64::from(address.offset),
        bytes,
        signed: false,
        register_bits: 32,
        data: SmallVec::new(),
        ordering: Ordering::default(),
        padding: false,
    })
}

fn product(lower: &mut Lower<'_>, scope: &Scope<'_>) -> Option<Act> {
    let inst = scope.inst;
    let element = |ty: Ty| match ty {
        Ty::F16 => Some(Element::F16),
        Ty::Bf16 => Some(Element::Bf16),
        Ty::Tf32 => Some(Element::Tf32),
        Ty::F64 => Some(Element::F64),
        Ty::U8 => Some(Element::U8),
        Ty::S8 => Some(Element::S8),
        _ => None,
    };
    let sum = match inst.tys[0] {
        Ty::F16 => Sum::F16,
        Ty::F32 => Sum::F32,
        Ty::F64 => Sum::F64,
        _ => Sum::S32 {
            saturate: inst.mods.sat != Sat::Off,
        },
    };
    let (Some([rows, columns, depth]), Some(a), Some(b)) = (
        inst.mods.shape.dims(),
        element(inst.tys[1]),
        element(inst.tys[2]),
    ) else {
        return lower.error("this product is not supported");
    };
    let mut lists: [SmallVec<[R; 4]>; 4] = Default::default();
    for (list, operand) in lists.iter_mut().zip(&inst.operands) {
        if let Operand::Vec(regs) = operand {
            *list = regs.iter().map(|r| lower.row(scope, *r)).collect();
        }
    }
    // What a lane holds of each matrix, over what a register holds.
    let registers = |places: usize, per: usize| places / 32 / per;
    let packed = if sum == Sum::F16 { 2 } else { 1 };
    let wanted = [
        registers(rows * columns, packed),
        registers(rows * depth, a.per_register()),
        registers(depth * columns, b.per_register()),
        registers(rows * columns, packed),
    ];
    let found: Vec<usize> = lists.iter().map(|l| l.len()).collect();
    if found != wanted {
        return lower.error(format!(
            "lists of {found:?} registers; this product takes {wanted:?}"
        ));
    }
    Some(Act::Product {
        product: Product {
            rows,
            columns,
            depth,
            a,
            b,
            sum,
            sm: lower.parsed.module.arch.sm,
        },
        rows: lists,
    })
}

/// A barrier of the block: its number, the number of threads if given, and of a
/// reduction the predicate.
pub(super) fn barrier(lower: &mut Lower<'_>, scope: &Scope<'_>, form: &Form) -> Option<Act> {
    let inst = scope.inst;
    let aligned = matches!(inst.op, Op::BarSync | Op::BarArrive | Op::BarRed);
    let reduces = matches!(inst.op, Op::BarRed | Op::BarrierRed);
    let operands: Vec<_> = inst.operands.iter().zip(form.operands).collect();
    let mut rest = operands.get(usize::from(reduces)..).unwrap_or(&[]);
    let mut how = match inst.op {
        Op::BarArrive | Op::BarrierArrive => Rendezvous::Arrive,
        _ => Rendezvous::Wait,
    };
    if reduces {
        let (to, _) = lower.results(scope)?;
        let ((operand, kind), before) = rest.split_last()?;
        rest = before;
        how = Rendezvous::Reduce {
            how: inst.mods.reduce,
            to,
            value: lower.source(scope, operand, **kind)?,
            negated: matches!(operand, Operand::Not(_)),
        };
    }
    let (operand, kind) = rest.first()?;
    let id = lower.source(scope, operand, **kind)?;
    let threads = match rest.get(1) {
        Some((operand, kind)) => {
            lower.has_partial_barriers = true;
            lower.source(scope, operand, **kind)?
        }
        None => NO_ROW,
    };
    Some(Act::Barrier {
        id,
        threads,
        aligned,
        how,
    })
}
