//! The types that a format leaves out, and the operands of those types.

use super::parse::Reader;
use crate::builder::OpState;
use crate::constraint::Arity;
use crate::context::Context;
use crate::opdef::{OpDef, traits};
use crate::text::parser::{PResult, Parser};
use crate::types::Type;

/// Work out the types left out, then resolve the operands.
pub(super) fn finish<'a>(
    p: &mut Parser<'a>,
    def: &'static OpDef,
    state: &mut OpState,
    mut r: Reader<'a>,
) -> PResult<()> {
    for s in r.successors.drain(..) {
        state.successors.extend(s);
    }
    let pos = r.pos;
    if let Some(all) = &r.all_operands {
        let types = match r.all_operand_types.take() {
            Some(t) => t,
            None if all.is_empty() => Vec::new(),
            None => {
                if def.operands.len() == 1 {
                    match r.operand_types[0].take() {
                        Some(t) => t,
                        None => return Err(p.error(pos, "types of the operands are not given")),
                    }
                } else {
                    r.operand_types
                        .iter_mut()
                        .flat_map(|t| t.take().unwrap_or_default())
                        .collect()
                }
            }
        };
        let values = p.resolve_operands(all, &types, pos)?;
        state.operands.extend(values);
    } else {
        deduce_types(p.ctx, def, &mut r);
        if let Some(all) = r.all_operand_types.take() {
            // `type(operands)` after operands that were named one by one.
            let flat: Vec<_> = r.operands.concat();
            let values = p.resolve_operands(&flat, &all, pos)?;
            state.operands.extend(values);
        } else {
            for (i, group) in r.operands.iter().enumerate() {
                if group.is_empty() {
                    continue;
                }
                let d = &def.operands[i];
                let values = match (&r.operand_types[i], d.constraint.build) {
                    (Some(t), _) if t.len() == group.len() => p.resolve_operands(group, t, pos)?,
                    (Some(t), _) if t.len() == 1 && d.constraint.arity == Arity::Variadic => {
                        let t = t[0];
                        // One type for all, where the format writes only one.
                        if same_typed(def, d.name) {
                            p.resolve_all(group, t)?
                        } else {
                            p.resolve_operands(group, &[t], pos)?
                        }
                    }
                    (Some(t), _) => {
                        let t = t.clone();
                        p.resolve_operands(group, &t, pos)?
                    }
                    (None, Some(build)) => {
                        let t = build(p.ctx);
                        p.resolve_all(group, t)?
                    }
                    (None, None) => {
                        let m = format!("the type of operand '{}' is not known here", d.name);
                        return Err(p.error(pos, m));
                    }
                };
                state.operands.extend(values);
            }
        }
        if def.has(traits::ATTR_SIZED_OPERANDS) {
            let sizes: Vec<i32> = r.operands.iter().map(|g| g.len() as i32).collect();
            let a = p.ctx.i32_array(&sizes);
            state.set_attr(p.ctx, "operandSegmentSizes", a);
        }
    }
    result_types(p, def, state, r)
}

fn same_typed(def: &OpDef, name: &str) -> bool {
    def.has(traits::SAME_TYPE_OPERANDS)
        || def.has(traits::SAME_OPERANDS_AND_RESULT_TYPE)
        || def.same_type.iter().any(|g| g.contains(&name))
}

/// Spread known types over the groups that must be equal to them.
fn deduce_types(ctx: &Context, def: &'static OpDef, r: &mut Reader) {
    if let Some(all) = &r.all_operand_types
        && def
            .operands
            .iter()
            .all(|o| o.constraint.arity == Arity::One)
        && all.len() == def.operands.len()
    {
        for (i, t) in all.iter().enumerate() {
            r.operand_types[i] = Some(vec![*t]);
        }
        r.all_operand_types = None;
    }
    let same_all = def.has(traits::SAME_OPERANDS_AND_RESULT_TYPE);
    let same_operands = same_all || def.has(traits::SAME_TYPE_OPERANDS);
    let known = |r: &Reader, name: &str| -> Option<Type> {
        if let Some(i) = def.operands.iter().position(|o| o.name == name) {
            return r.operand_types[i].as_ref().and_then(|t| t.first().copied());
        }
        let i = def.results.iter().position(|o| o.name == name)?;
        r.result_types[i].as_ref().and_then(|t| t.first().copied())
    };
    let set = |r: &mut Reader, name: &str, t: Type| {
        if let Some(i) = def.operands.iter().position(|o| o.name == name) {
            if r.operand_types[i].is_none() {
                let n = r.operands[i].len().max(1);
                r.operand_types[i] = Some(vec![t; n]);
            }
        } else if let Some(i) = def.results.iter().position(|o| o.name == name)
            && r.result_types[i].is_none()
        {
            r.result_types[i] = Some(vec![t]);
        }
    };
    for group in def.same_type {
        if let Some(t) = group.iter().find_map(|n| known(r, n)) {
            for n in *group {
                set(r, n, t);
            }
        }
    }
    if same_operands {
        let operands = def.operands.iter().map(|o| o.name);
        let results = def.results.iter().filter(|_| same_all).map(|o| o.name);
        let names: Vec<&str> = operands.chain(results).collect();
        if let Some(t) = names.iter().find_map(|n| known(r, n)) {
            for n in names {
                set(r, n, t);
            }
        }
    }
    for (i, d) in def.results.iter().enumerate() {
        if r.result_types[i].is_none()
            && d.constraint.arity == Arity::One
            && let Some(b) = d.constraint.build
        {
            r.result_types[i] = Some(vec![b(ctx)]);
        }
    }
}

fn result_types(
    p: &mut Parser,
    def: &'static OpDef,
    state: &mut OpState,
    r: Reader,
) -> PResult<()> {
    if let Some(t) = r.all_result_types {
        state.result_types = t;
        return Ok(());
    }
    if let Some(infer) = def.infer
        && r.result_types.iter().any(Option::is_none)
    {
        return match infer(p.ctx, state) {
            Ok(t) => {
                state.result_types = t;
                Ok(())
            }
            Err(m) => Err(p.error(r.pos, format!("'{}' op {m}", def.name))),
        };
    }
    for (d, t) in def.results.iter().zip(r.result_types) {
        match t {
            Some(t) => state.result_types.extend(t),
            None if d.constraint.arity == Arity::One => {
                if same_typed(def, d.name)
                    && let Some(v) = state.operands.first()
                {
                    let t = v.ty(p.ctx);
                    state.result_types.push(t);
                    continue;
                }
                let m = format!("the type of result '{}' is not known here", d.name);
                return Err(p.error(r.pos, m));
            }
            None => {}
        }
    }
    Ok(())
}
