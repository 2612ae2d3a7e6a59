//! `print-gpu-cost`: what each parallel nest costs on a GPU, in words.
//!
//! ```text
//! terrace-opt --affine-parallelize --print-gpu-cost='machine=sm_90 sizes=N:1024' F.mlir
//! ```
//!
//! Nests are mapped as `map-parallel-to-gpu` maps them; `order`, `block-sizes` and `tile`
//! say another mapping, which is predicted and not made. Launches that `gpu-map-contractions`
//! has made of matrix products are predicted as they are.

use super::ahead::{self, Tiles};
use super::choice::{MACHINE, MACHINE_FILE, MachineChoice, Model, SIZES};
use super::nest::{Mapping, Nest, TileKind};
use super::product::{self, Note};
use super::{Options, cost, print, read, table};
use crate::gpu::map_reductions::{Way, tiles_of};
use terrace_dialects::affine::ParallelOp;
use terrace_dialects::attributes::GPU_PRODUCT;
use terrace_ir::diag::Severity;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassFailed, PassInfo, PassResult,
};
use terrace_ir::{Context, Op, OpKind};
use terrace_machine::Machine;

/// `print-gpu-cost`.
pub static INFO: PassInfo = PassInfo {
    name: "print-gpu-cost",
    title: "PrintGpuCost",
    summary: "Print what affine.parallel nests cost on a GPU",
    description: "Predicts each outermost affine.parallel nest under a mapping: sectors and lines per access, occupancy, and a time for each part of the machine, of which the greatest binds.",
    options: &[
        MACHINE,
        MACHINE_FILE,
        OptionInfo::new(
            "model",
            OptionKind::Enum(Model::NAMES),
            "exact",
            "exact: from lane addresses; table: lines by the class of coefficients",
        ),
        SIZES,
        OptionInfo::new(
            "block-sizes",
            OptionKind::UIntList,
            "",
            "Threads of a block along x, y, z; by default 256, 32x8 or 32x4x2 for 1, 2 or 3 mapped loops, others where loops are short",
        ),
        OptionInfo::new(
            "order",
            OptionKind::UIntList,
            "",
            "The parallel loops by number, outermost 0, in another order; the last runs along x",
        ),
        OptionInfo::new(
            "tile",
            OptionKind::UIntList,
            "",
            "Iterations of each parallel loop, outermost first, that a thread does",
        ),
        OptionInfo::new(
            "tile-kind",
            OptionKind::Enum(&["blocked", "cyclic", "inside"]),
            "blocked",
            "Whether they lie next to each other, as far apart as there are threads, or next to each other inside the serial loops",
        ),
        OptionInfo::flag(
            "ahead",
            "Nests whose serial loops go along rows or columns by tiles that are copied ahead, as gpu-map-reductions makes them",
        ),
        OptionInfo::flag(
            "as-written",
            "Count accesses as they stand, not as the compiler moves them out of loops",
        ),
    ],
    make: |o| {
        let sizes = sizes_of(&o.strs("sizes"))?;
        let numbers = |name: &str| o.uints(name);
        let blocks = numbers("block-sizes");
        if blocks.len() > 3 || blocks.iter().any(|b| *b == 0 || *b > 1024) {
            return Err("block-sizes are one to three numbers from 1 to 1024".into());
        }
        let tile = numbers("tile");
        if tile.iter().any(|t| *t == 0 || *t > 1 << 20) {
            return Err("tile sizes are numbers from 1 to 1048576".into());
        }
        Ok(Box::new(PrintCost {
            machine: MachineChoice::of(o)?,
            model: Model::parse(o.str("model"))?,
            read: Options {
                sizes,
                as_written: o.bool("as-written"),
                assume: None,
                endless: false,
            },
            ahead: o.bool("ahead"),
            blocks: blocks.iter().map(|b| *b as u32).collect(),
            order: numbers("order").iter().map(|n| *n as usize).collect(),
            tile: tile.iter().map(|t| *t as i64).collect(),
            tile_kind: match o.str("tile-kind") {
                "cyclic" => TileKind::Cyclic,
                "inside" => TileKind::Inside,
                _ => TileKind::Blocked,
            },
        }))
    },
    ..PassInfo::EMPTY
};

/// Names and numbers of an option as `N:1024`.
///
/// # Errors
///
/// Which of them is not so.
pub(crate) fn sizes_of(texts: &[String]) -> Result<Vec<(String, i64)>, String> {
    let one = |s: &String| {
        let pair = s.split_once(':');
        let value = pair.and_then(|(n, v)| Some((n.trim(), v.trim().parse::<i64>().ok()?)));
        let (name, value) = value
            .filter(|(n, _)| !n.is_empty())
            .ok_or_else(|| format!("found '{s}' in sizes, expected NAME:NUMBER"))?;
        Ok((name.to_string(), value))
    };
    texts.iter().map(one).collect()
}

struct PrintCost {
    machine: MachineChoice,
    model: Model,
    read: Options,
    ahead: bool,
    blocks: Vec<u32>,
    order: Vec<usize>,
    tile: Vec<i64>,
    tile_kind: TileKind,
}

impl Pass for PrintCost {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let machine = self.machine.machine(ctx, op)?;
        let mut failed = false;
        let products = launches(ctx, op);
        let products = products
            .into_iter()
            .map(|(l, n)| self.of_product(l, &n, &machine));
        let mut texts: Vec<Result<String, (Op, String)>> = products.collect();
        for p in outermost(ctx, op) {
            texts.push(self.of_nest(ctx, p, &machine));
        }
        for text in texts {
            match text {
                Ok(text) => ctx.show(&text),
                Err((at, message)) => {
                    failed = true;
                    ctx.emit_at(Severity::Error, at.loc(ctx), message);
                }
            }
        }
        match failed {
            true => Err(PassFailed),
            false => Ok(()),
        }
    }
}

/// The launches that are products, with what is known of them.
fn launches(ctx: &Context, root: Op) -> Vec<(Op, Note)> {
    let all = root.pre_order(ctx).into_iter();
    let noted = all.filter_map(|o| Some((o, Note::read(ctx, o.attr(ctx, GPU_PRODUCT)?)?)));
    noted.collect()
}

/// The parallel nests that no other one holds, in the order of the text.
pub(crate) fn outermost(ctx: &Context, root: Op) -> Vec<ParallelOp> {
    let mut out = Vec::new();
    for op in root.pre_order(ctx) {
        let Some(p) = op.cast::<ParallelOp>(ctx) else {
            continue;
        };
        let inside = out
            .iter()
            .any(|q: &ParallelOp| q.op() != op && q.op().is_ancestor_of(ctx, op));
        if !inside {
            out.push(p);
        }
    }
    out
}

impl PrintCost {
    fn of_product(
        &self,
        launch: Op,
        note: &Note,
        machine: &Machine,
    ) -> Result<String, (Op, String)> {
        let p = note.numbers(&self.read.sizes).map_err(|names| {
            let m = match names.iter().find(|n| !n.is_empty()) {
                Some(n) => {
                    format!("the value of '{n}' is not known; give it with sizes={n}:NUMBER")
                }
                None => "a size of the product has no name".into(),
            };
            (launch, m)
        })?;
        let cost = product::predict(&p, machine).map_err(|m| (launch, m))?;
        Ok(print::of_product(note, &p, machine, &cost))
    }

    fn of_nest(
        &self,
        ctx: &Context,
        p: ParallelOp,
        machine: &Machine,
    ) -> Result<String, (Op, String)> {
        let mut nest = read(ctx, p, &self.read).map_err(|r| (r.op, r.message))?;
        if let Some(tiles) = self.tiles(&nest) {
            let found = ahead::predict(&nest, &tiles, machine).map_err(|m| (p.op(), m))?;
            return Ok(print::of_tiles(&nest, &tiles, machine, &found));
        }
        let mapping = self.mapping(&mut nest).map_err(|m| (p.op(), m))?;
        let refuse = |m| (p.op(), m);
        if self.model == Model::Exact {
            let found = cost::predict(&nest, &mapping, machine).map_err(refuse)?;
            return Ok(print::print(&nest, &mapping, machine, &found));
        }
        nest.check().map_err(refuse)?;
        let mut out = String::from("cache lines that a thread reads\n");
        for r in &nest.references {
            let lines = table::lines_of(&nest, &mapping, r, machine);
            out.push_str(&format!("  {}: {lines:.4} each time\n", r.text));
        }
        let all = table::cost(&nest, &mapping, machine);
        out.push_str(&format!("  in all {all:.4}\n"));
        Ok(out)
    }

    /// The tiles that are copied ahead, where the nest is to be done by some.
    fn tiles(&self, nest: &Nest) -> Option<Tiles> {
        if !self.ahead {
            return None;
        }
        let loops = ahead::wanted(nest);
        let is_matrix = |t: &(Way, i64)| t.0 != Way::Vector;
        // Loops that load only what all threads need alike are done as they stand.
        let loops: Vec<_> = (loops.iter()).filter(|l| l.iter().any(is_matrix)).collect();
        // Loops one after another use the same buffers.
        let mut pool: Vec<(Way, i64)> = Vec::new();
        for tile in loops.iter().flat_map(|l| l.iter()) {
            let needed = |l: &&&Vec<(Way, i64)>| l.iter().filter(|t| *t == tile).count();
            let most = loops.iter().max_by_key(needed).map_or(0, |l| needed(&l));
            if pool.iter().filter(|t| *t == tile).count() < most {
                pool.push(*tile);
            }
        }
        tiles_of(&pool)
    }

    fn mapping(&self, nest: &mut Nest) -> Result<Mapping, String> {
        let count = nest.parallel.len();
        if self.tile.len() > count || !self.order.is_empty() && self.order.len() != count {
            return Err(format!(
                "the nest has {count} parallel loops, but order has {} numbers and tile {}",
                self.order.len(),
                self.tile.len()
            ));
        }
        for (k, size) in self.tile.iter().enumerate() {
            nest.tile(nest.parallel[k], *size, self.tile_kind)?;
        }
        if !self.order.is_empty() {
            let mut sorted = self.order.clone();
            sorted.sort_unstable();
            if sorted != (0..count).collect::<Vec<_>>() {
                return Err(format!(
                    "order is no order of the numbers 0 to {}",
                    count - 1
                ));
            }
            nest.parallel = self.order.iter().map(|k| nest.parallel[*k]).collect();
        }
        Ok(Mapping::default_rule(nest, &self.blocks))
    }
}
