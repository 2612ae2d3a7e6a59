//! Where arrays are copied, by each of the schemes.

use crate::xfer::arrays::{Arrays, Side};
use crate::xfer::flow::{CopyPoint, Flow};
use terrace_dialects::{memref, xfer};
use terrace_ir::{Context, Op, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Kernel,
    Host,
    Mixed,
}

/// Copies by the scheme for the arrays with the mirrors `made`.
pub(super) fn copies(
    ctx: &mut Context,
    function: Op,
    scheme: Scheme,
    made: &[(Value, Value)],
) -> Result<(), (Op, String)> {
    let mut arrays = Arrays::of(ctx, function);
    let flow = Flow::of(ctx, function, &mut arrays)?;
    // What is copied where: into the device or out of it, at a place.
    let mut wanted: Vec<(CopyPoint, usize, Side)> = Vec::new();
    let handed: Vec<bool> = arrays.list.iter().map(|a| a.handed.is_some()).collect();
    let there = flow.there(&arrays);
    if scheme != Scheme::Kernel {
        for (k, _) in handed.iter().enumerate().filter(|h| *h.1) {
            wanted.push((flow.nodes[0].place, k, Side::Device));
        }
    }
    for (n, node) in flow.nodes.iter().enumerate() {
        let Some(op) = node.op else { continue };
        let ends = op.is_terminator(ctx);
        for (k, t) in &node.touches {
            let a = &arrays.list[*k];
            if !made.iter().any(|m| m.1 == a.mirror) || !t.create && !there[*k][n] {
                continue;
            }
            let mut add = |place, to| wanted.push((place, *k, to));
            let new = a
                .host
                .def_op()
                .is_some_and(|o| o.name(ctx) != memref::GetGlobalOp::NAME);
            if t.create && !new && scheme != Scheme::Kernel {
                add(CopyPoint::After(op), Side::Device);
            }
            let (host, device) = (t.uses(Side::Host), t.uses(Side::Device));
            match scheme {
                Scheme::Kernel => {
                    if device {
                        add(CopyPoint::Before(op), Side::Device);
                    }
                    if t.writes(Side::Device) {
                        add(CopyPoint::After(op), Side::Host);
                    }
                }
                Scheme::Host => {
                    if host {
                        add(CopyPoint::Before(op), Side::Host);
                    }
                    if t.writes(Side::Host) && !ends {
                        add(CopyPoint::After(op), Side::Device);
                    }
                }
                Scheme::Mixed => {
                    if t.writes(Side::Device) {
                        add(CopyPoint::After(op), Side::Host);
                    }
                    if t.writes(Side::Host) && !ends {
                        add(CopyPoint::After(op), Side::Device);
                    }
                }
            }
        }
    }
    for (place, k, to) in wanted {
        let a = arrays.list[k];
        let mut b = place.builder(ctx);
        match to {
            Side::Device => xfer::CopyOp::build(&mut b, a.host, a.mirror),
            Side::Host => xfer::CopyOp::build(&mut b, a.mirror, a.host),
        };
    }
    Ok(())
}
