//! What is said about the kernels.

use super::Mapper;
use crate::gpu::launch_note::{Kind, LaunchNote, MappedLoop, MappedTo};
use crate::gpu::map_parallel::{given_blocks, name_of};
use crate::gpu::model::ahead::Tiles;
use crate::gpu::model::product::Note;
use crate::region::cost::Origin;
use crate::region::notes::KernelNote;
use terrace_dialects::attributes::{GPU_AHEAD, GPU_NEST, GPU_NOTE, GPU_PRODUCT};
use terrace_dialects::{gpu, scf};
use terrace_ir::{Op, OpKind, Value};

impl Mapper<'_> {
    /// Names a launch, and notes what the pass that made it says of it.
    pub(super) fn tell_given(&mut self, launch: gpu::LaunchOp) {
        let name = self.next_name();
        let symbol = self.ctx.symbol_attr(&name);
        let op = launch.op();
        op.set_attr(self.ctx, "function", symbol);
        let size = |v: Value| (self.ctx.constant_int(v)).and_then(|n| u32::try_from(n).ok());
        let block = launch.block_size(self.ctx).map(|v| size(v).unwrap_or(1));
        let mut kernel = KernelNote {
            name,
            place: self.ctx.diag_loc(op.loc(self.ctx)),
            block,
            ..KernelNote::default()
        };
        if let Some(note) = LaunchNote::take(self.ctx, op) {
            kernel.origin = self.origin_of_loops(op, &note);
            kernel.grid = note.grid;
            kernel.loops = note.loops;
            kernel.accesses = note.accesses;
            kernel.reductions = note.reductions;
            kernel.remarks = note.remarks;
        } else {
            let words = op.str_attr(self.ctx, GPU_NOTE).map(str::to_string);
            kernel.origin = self.origin_of_others(op);
            kernel.grid = (launch.grid_size(self.ctx)).map(|v| given_blocks(self.ctx, v));
            kernel.remarks = words.into_iter().collect();
        }
        for name in [GPU_NOTE, GPU_PRODUCT, GPU_AHEAD] {
            op.remove_attr(self.ctx, name);
        }
        self.kernels.push(kernel);
    }

    fn number_of_nest(&self, launch: Op) -> Option<usize> {
        let number = launch.int_attr(self.ctx, GPU_NEST);
        number.and_then(|n| usize::try_from(n).ok())
    }

    /// Of a launch whose threads are iterations of loops.
    fn origin_of_loops(&self, launch: Op, note: &LaunchNote) -> Origin {
        match (note.kind, self.number_of_nest(launch)) {
            (Kind::Combination, _) => Origin::Other,
            (Kind::Reduction, _) => Origin::Unknown(
                "its threads combine what they compute, which the model does not know",
            ),
            (Kind::Nest, None) => Origin::Unknown("its loops are not affine"),
            (Kind::Nest, Some(_)) if note.fixed => Origin::Unknown(
                "a clause says how many blocks there are, which the model does not know",
            ),
            (Kind::Nest, Some(number)) => Origin::Nest {
                number,
                rows: note.rows,
            },
        }
    }

    /// Of a launch whose threads work together.
    fn origin_of_others(&self, launch: Op) -> Origin {
        let product = launch.attr(self.ctx, GPU_PRODUCT);
        if let Some(note) = product.and_then(|a| Note::read(self.ctx, a)) {
            return Origin::Product(Box::new(note));
        }
        let ahead = launch.attr(self.ctx, GPU_AHEAD);
        let ahead = ahead.and_then(|a| a.as_i64_array(self.ctx));
        match (self.number_of_nest(launch), ahead.as_deref()) {
            (Some(number), Some(&[columns, stages, shared_bytes])) => Origin::Ahead {
                number,
                tiles: Tiles {
                    columns,
                    stages,
                    shared_bytes,
                },
            },
            _ => Origin::Unknown("its threads work together in a way that the model does not know"),
        }
    }

    pub(super) fn note_serial(&mut self, statements: &[Op]) {
        let loops = statements
            .iter()
            .filter(|o| matches!(o.name(self.ctx), scf::ForOp::NAME | scf::WhileOp::NAME))
            .map(|o| MappedLoop {
                place: self.ctx.diag_loc(o.loc(self.ctx)),
                variable: o
                    .cast::<scf::ForOp>(self.ctx)
                    .map(|f| name_of(self.ctx, f.induction_var(self.ctx)))
                    .unwrap_or_default(),
                to: MappedTo::Sequential,
            })
            .collect();
        if let Some(k) = self.kernels.last_mut() {
            k.loops = loops;
            k.block = [1; 3];
            k.remarks
                .push("one thread runs these statements one after another".into());
        }
    }
}
