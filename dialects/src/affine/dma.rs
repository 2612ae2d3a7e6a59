//! `affine.dma_start` and `affine.dma_wait`: copies that run beside the program.
//!
//! Operands are, for each of source, destination and tag, the memref and then the
//! operands of its map; then the number of elements, and for strided copies the
//! stride and the number of elements per stride.

use super::access_fold::fold_cast;
use super::scope::all_affine;
use super::syntax::{at_name, map_of, print_subscripts};
use terrace_ir::affine::AffineMap;
use terrace_ir::constraint::ANY;
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Value, op};

op! {
    /// Starts a copy from one memref to another; the element of a third, the tag,
    /// says when it is done.
    DmaStartOp = "affine.dma_start" {
        operands: [operands: ANY.variadic()],
        custom: (parse_start, print_start),
        verify: verify_start,
        fold: fold_cast,
        effects: start_effects,
    }

    /// Waits until the copy that goes with the tag is done.
    DmaWaitOp = "affine.dma_wait" {
        operands: [operands: ANY.variadic()],
        custom: (parse_wait, print_wait),
        verify: verify_wait,
        fold: fold_cast,
        effects: |ctx, op| match DmaWaitOp::wrap(op).tag(ctx) {
            Some(t) => vec![Effect { kind: EffectKind::Read, on: Some(t.memref) }],
            None => vec![Effect { kind: EffectKind::Write, on: None }],
        },
    }
}

/// A memref with subscripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmaEnd {
    /// What the subscripts are of.
    pub memref: Value,
    /// The subscripts as a function of the operands.
    pub map: AffineMap,
    /// Dimensions first, then symbols.
    pub operands: Vec<Value>,
}

/// Take a place off the front of `operands`, with the map attribute `name`.
fn place(ctx: &Context, op: Op, name: &str, operands: &mut &[Value]) -> Option<DmaEnd> {
    op.attr(ctx, name)?.as_map(ctx)?;
    let map = map_of(ctx, op, name).clone();
    let (memref, rest) = operands.split_first()?;
    if rest.len() < map.num_inputs() {
        return None;
    }
    let (indices, rest) = rest.split_at(map.num_inputs());
    *operands = rest;
    Some(DmaEnd {
        memref: *memref,
        map,
        operands: indices.to_vec(),
    })
}

/// The parts of a [`DmaStartOp`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmaStart {
    /// Where elements are read from.
    pub source: DmaEnd,
    /// Where they are written to.
    pub destination: DmaEnd,
    /// What a wait recognises the transfer by.
    pub tag: DmaEnd,
    /// How many elements are copied.
    pub num_elements: Value,
    /// Stride and elements per stride.
    pub stride: Option<(Value, Value)>,
}

impl DmaStartOp {
    /// The parts of the op; `None` for a malformed one.
    pub fn parts(self, ctx: &Context) -> Option<DmaStart> {
        let all = self.op().operands(ctx);
        let mut rest = &all[..];
        let source = place(ctx, self.op(), "src_map", &mut rest)?;
        let destination = place(ctx, self.op(), "dst_map", &mut rest)?;
        let tag = place(ctx, self.op(), "tag_map", &mut rest)?;
        let (num_elements, stride) = match *rest {
            [n] => (n, None),
            [n, stride, each] => (n, Some((stride, each))),
            _ => return None,
        };
        Some(DmaStart {
            source,
            destination,
            tag,
            num_elements,
            stride,
        })
    }
}

impl DmaWaitOp {
    /// The tag waited for; `None` for a malformed op.
    pub fn tag(self, ctx: &Context) -> Option<DmaEnd> {
        let all = self.op().operands(ctx);
        let mut rest = &all[..];
        let tag = place(ctx, self.op(), "tag_map", &mut rest)?;
        (rest.len() == 1).then_some(tag)
    }
}

fn start_effects(ctx: &Context, op: Op) -> Vec<Effect> {
    let Some(d) = DmaStartOp::wrap(op).parts(ctx) else {
        return vec![Effect {
            kind: EffectKind::Write,
            on: None,
        }];
    };
    vec![
        Effect {
            kind: EffectKind::Read,
            on: Some(d.source.memref),
        },
        Effect {
            kind: EffectKind::Write,
            on: Some(d.destination.memref),
        },
        Effect {
            kind: EffectKind::Read,
            on: Some(d.tag.memref),
        },
    ]
}

type Written<'a> = (UnresolvedOperand<'a>, Vec<UnresolvedOperand<'a>>);

/// `%m[SUBSCRIPTS]`, its map put into the attribute `name`.
fn parse_place<'a>(p: &mut OpParser<'a>, state: &mut OpState, name: &str) -> PResult<Written<'a>> {
    let memref = p.parse_operand()?;
    let (map, operands) = p.parse_map_of_operands(T::LSquare, T::RSquare)?;
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, name, map);
    Ok((memref, operands))
}

fn parse_start(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let mut places = Vec::new();
    for name in ["src_map", "dst_map", "tag_map"] {
        places.push(parse_place(p, state, name)?);
        p.expect(T::Comma)?;
    }
    let mut sizes = vec![p.parse_operand()?];
    // Upstream takes a comma with nothing behind it.
    if p.eat(T::Comma) {
        sizes.extend(p.parse_operand_list()?);
    }
    if !matches!(sizes.len(), 1 | 3) {
        return Err(at_name(p, state, "expected two stride related operands"));
    }
    let types = p.parse_colon_type_list()?;
    if types.len() != 3 {
        return Err(at_name(p, state, "expected three types"));
    }
    let index = p.ctx.index();
    for ((memref, operands), ty) in places.into_iter().zip(types) {
        state.operands.push(p.resolve(memref, ty)?);
        state.operands.extend(p.resolve_all(&operands, index)?);
    }
    state.operands.extend(p.resolve_all(&sizes, index)?);
    Ok(())
}

fn print_place(p: &mut Printer, place: &DmaEnd) {
    p.value(place.memref);
    print_subscripts(p, &place.map, &place.operands);
}

fn print_start(p: &mut Printer, op: Op) {
    let Some(d) = DmaStartOp::wrap(op).parts(p.ctx) else {
        return;
    };
    p.write(" ");
    for place in [&d.source, &d.destination, &d.tag] {
        print_place(p, place);
        p.write(", ");
    }
    p.value(d.num_elements);
    if let Some((stride, each)) = d.stride {
        p.write(", ");
        p.values(&[stride, each]);
    }
    p.write(" : ");
    let types = [d.source.memref, d.destination.memref, d.tag.memref].map(|v| v.ty(p.ctx));
    p.types(&types);
}

fn verify_start(ctx: &Context, op: Op) -> Verified {
    for name in ["src_map", "dst_map", "tag_map"] {
        require_map(ctx, op, name)?;
    }
    let Some(d) = DmaStartOp::wrap(op).parts(ctx) else {
        return Err("incorrect number of operands".into());
    };
    for (place, what) in [
        (&d.source, "source"),
        (&d.destination, "destination"),
        (&d.tag, "tag"),
    ] {
        if !place.memref.ty(ctx).is_memref(ctx) {
            return Err(format!("expected DMA {what} to be of memref type").into());
        }
    }
    for (place, what) in [(&d.source, "src"), (&d.destination, "dst"), (&d.tag, "tag")] {
        if place.operands.iter().any(|v| !v.ty(ctx).is_index(ctx)) {
            return Err(format!("{what} index to dma_start must have 'index' type").into());
        }
        if !all_affine(ctx, op, &place.operands) {
            let m = format!("{what} index must be a valid dimension or symbol identifier");
            return Err(m.into());
        }
        check_rank(ctx, place, what)?;
    }
    let sizes = [
        Some(d.num_elements),
        d.stride.map(|s| s.0),
        d.stride.map(|s| s.1),
    ];
    if sizes
        .into_iter()
        .flatten()
        .any(|v| !v.ty(ctx).is_index(ctx))
    {
        return Err("sizes and strides of dma_start must have 'index' type".into());
    }
    Ok(())
}

fn require_map(ctx: &Context, op: Op, name: &str) -> Verified {
    match op.attr(ctx, name).and_then(|a| a.as_map(ctx)) {
        Some(_) => Ok(()),
        None => Err(format!("requires an affine map attribute named '{name}'").into()),
    }
}

fn check_rank(ctx: &Context, place: &DmaEnd, what: &str) -> Verified {
    let rank = place.memref.ty(ctx).rank(ctx).unwrap_or(0);
    if place.map.num_results() != rank {
        return Err(format!(
            "{what} map has {} results, but the memref has {rank} dimensions",
            place.map.num_results()
        )
        .into());
    }
    Ok(())
}

fn parse_wait(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let (memref, operands) = parse_place(p, state, "tag_map")?;
    p.expect(T::Comma)?;
    let size = p.parse_operand()?;
    let ty = p.parse_colon_type()?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(memref, ty)?);
    state.operands.extend(p.resolve_all(&operands, index)?);
    state.operands.push(p.resolve(size, index)?);
    if !ty.is_memref(p.ctx) {
        return Err(at_name(p, state, "expected tag to be of memref type"));
    }
    Ok(())
}

fn print_wait(p: &mut Printer, op: Op) {
    let Some(tag) = DmaWaitOp::wrap(op).tag(p.ctx) else {
        return;
    };
    p.write(" ");
    print_place(p, &tag);
    p.write(", ");
    p.value(op.operand(p.ctx, op.num_operands(p.ctx) - 1));
    p.write(" : ");
    p.ty(tag.memref.ty(p.ctx));
}

fn verify_wait(ctx: &Context, op: Op) -> Verified {
    require_map(ctx, op, "tag_map")?;
    let Some(tag) = DmaWaitOp::wrap(op).tag(ctx) else {
        return Err("incorrect number of operands".into());
    };
    if !tag.memref.ty(ctx).is_memref(ctx) {
        return Err("expected DMA tag to be of memref type".into());
    }
    if tag.operands.iter().any(|v| !v.ty(ctx).is_index(ctx)) {
        return Err("index to dma_wait must have 'index' type".into());
    }
    if !all_affine(ctx, op, &tag.operands) {
        return Err("index must be a valid dimension or symbol identifier".into());
    }
    check_rank(ctx, &tag, "tag")
}
