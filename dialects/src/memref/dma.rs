//! `memref.dma_start`, `memref.dma_wait`.

use super::fold;
use terrace_ir::constraint::{ANY, INDEX, MEMREF};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Value, op};

op! {
    /// Starts copying elements from one memref to another, to be waited for by the tag.
    /// The operands are: source and its indices, destination and its indices, the
    /// number of elements, tag and its indices, and optionally a stride and the number
    /// of elements per stride.
    DmaStartOp = "memref.dma_start" {
        operands: [operands: ANY.variadic()],
        custom: (parse_start, print_start),
        verify: verify_start,
        fold: fold::casts_of_operands,
        effects: start_effects,
    }

    /// Waits until the transfer with this tag is done.
    DmaWaitOp = "memref.dma_wait" {
        operands: [tagMemRef: MEMREF, tagIndices: INDEX.variadic(), numElements: INDEX],
        format: "$tagMemRef `[` $tagIndices `]` `,` $numElements attr-dict `:` type($tagMemRef)",
        verify: verify_wait,
        fold: fold::casts_of_operands,
        effects: wait_effects,
    }
}

/// The operands of a `dma_start` by their meaning.
#[derive(Debug, Clone)]
pub struct Transfer {
    /// Where elements are read from.
    pub source: Value,
    /// Subscripts of the first one read.
    pub source_indices: Vec<Value>,
    /// Where elements are written to.
    pub target: Value,
    /// Subscripts of the first one written.
    pub target_indices: Vec<Value>,
    /// How many elements are copied.
    pub num_elements: Value,
    /// The memref that a wait recognises the transfer by.
    pub tag: Value,
    /// Subscripts of its element.
    pub tag_indices: Vec<Value>,
    /// Stride, and elements per stride.
    pub stride: Option<(Value, Value)>,
}

impl DmaStartOp {
    /// `None` only for an op that does not verify.
    pub fn transfer(self, ctx: &Context) -> Option<Transfer> {
        let mut v = self.op().operands(ctx).into_iter();
        let access = |v: &mut std::vec::IntoIter<Value>| {
            let memref = v.next()?;
            let rank = memref
                .ty(ctx)
                .is_memref(ctx)
                .then(|| memref.ty(ctx).rank(ctx))??;
            let indices: Vec<Value> = v.by_ref().take(rank).collect();
            (indices.len() == rank).then_some((memref, indices))
        };
        let (source, source_indices) = access(&mut v)?;
        let (target, target_indices) = access(&mut v)?;
        let num_elements = v.next()?;
        let (tag, tag_indices) = access(&mut v)?;
        let stride = match v.len() {
            0 => None,
            2 => Some((v.next()?, v.next()?)),
            _ => return None,
        };
        Some(Transfer {
            source,
            source_indices,
            target,
            target_indices,
            num_elements,
            tag,
            tag_indices,
            stride,
        })
    }
}

fn start_effects(ctx: &Context, op: Op) -> Vec<Effect> {
    let Some(t) = DmaStartOp::wrap(op).transfer(ctx) else {
        // Malformed: anything in memory may be written.
        return vec![Effect {
            kind: EffectKind::Write,
            on: None,
        }];
    };
    vec![
        Effect {
            kind: EffectKind::Read,
            on: Some(t.source),
        },
        Effect {
            kind: EffectKind::Write,
            on: Some(t.target),
        },
        Effect {
            kind: EffectKind::Read,
            on: Some(t.tag),
        },
    ]
}

/// Waiting reads the tag. It also orders what was copied, so that nothing may move
/// over it: it writes memory unnamed.
fn wait_effects(ctx: &Context, op: Op) -> Vec<Effect> {
    vec![
        Effect {
            kind: EffectKind::Read,
            on: Some(op.operand(ctx, 0)),
        },
        Effect {
            kind: EffectKind::Write,
            on: None,
        },
    ]
}

fn parse_start(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let start = p.pos();
    let source = p.parse_operand()?;
    let source_indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.expect(T::Comma)?;
    let target = p.parse_operand()?;
    let target_indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.expect(T::Comma)?;
    let count = p.parse_operand()?;
    p.expect(T::Comma)?;
    let tag = p.parse_operand()?;
    let tag_indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    let mut stride = Vec::new();
    while p.eat(T::Comma) {
        stride.push(p.parse_operand()?);
    }
    if !matches!(stride.len(), 0 | 2) {
        return Err(p.error(start, "expected two stride related operands"));
    }
    p.parse_optional_attr_dict(state)?;
    let types = p.parse_colon_type_list()?;
    let [from, to, tag_type] = types[..] else {
        return Err(p.error(start, "fewer/more types expected"));
    };
    let index = p.ctx.index();
    state.operands.push(p.resolve(source, from)?);
    state
        .operands
        .extend(p.resolve_all(&source_indices, index)?);
    state.operands.push(p.resolve(target, to)?);
    state
        .operands
        .extend(p.resolve_all(&target_indices, index)?);
    state.operands.push(p.resolve(count, index)?);
    state.operands.push(p.resolve(tag, tag_type)?);
    state.operands.extend(p.resolve_all(&tag_indices, index)?);
    state.operands.extend(p.resolve_all(&stride, index)?);
    Ok(())
}

fn print_start(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let Some(t) = DmaStartOp::wrap(op).transfer(ctx) else {
        return;
    };
    let access = |p: &mut Printer, memref: Value, indices: &[Value]| {
        p.value(memref);
        p.write("[");
        p.values(indices);
        p.write("]");
    };
    p.write(" ");
    access(p, t.source, &t.source_indices);
    p.write(", ");
    access(p, t.target, &t.target_indices);
    p.write(", ");
    p.value(t.num_elements);
    p.write(", ");
    access(p, t.tag, &t.tag_indices);
    if let Some((stride, per)) = t.stride {
        p.write(", ");
        p.values(&[stride, per]);
    }
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.types(&[t.source.ty(ctx), t.target.ty(ctx), t.tag.ty(ctx)]);
}

fn verify_start(ctx: &Context, op: Op) -> Verified {
    let types = op.operand_types(ctx);
    let n = types.len();
    if n < 4 {
        return Err("expected at least 4 operands".into());
    }
    // Operands before the memref at hand, and how many there must be in all.
    let (mut at, mut want) = (0, 4);
    for what in ["source", "destination", "tag"] {
        if what == "tag" {
            if !types[at].is_index(ctx) {
                return Err("expected num elements to be of index type".into());
            }
            at += 1;
        }
        let Some(rank) = types[at].rank(ctx).filter(|_| types[at].is_memref(ctx)) else {
            return Err(format!("expected {what} to be of memref type").into());
        };
        want += rank;
        if n < want {
            return Err(format!("expected at least {want} operands").into());
        }
        if !types[at + 1..at + 1 + rank].iter().all(|t| t.is_index(ctx)) {
            return Err(format!("expected {what} indices to be of index type").into());
        }
        at += 1 + rank;
    }
    if n != want && n != want + 2 {
        return Err("incorrect number of operands".into());
    }
    if !types[want..].iter().all(|t| t.is_index(ctx)) {
        return Err("expected stride and num elements per stride to be of type index".into());
    }
    Ok(())
}

fn verify_wait(ctx: &Context, op: Op) -> Verified {
    let rank = op.operand(ctx, 0).ty(ctx).rank(ctx).unwrap_or(0);
    let have = op.num_operands(ctx).saturating_sub(2);
    if rank != have {
        return Err(format!(
            "expected tagIndices to have the same number of elements as the tagMemRef rank, expected {rank}, but got {have}"
        )
        .into());
    }
    Ok(())
}
