//! `gpu`.

use super::memory::is_workgroup;
use super::{Decoder, attrs, shape_of};
use crate::interp::code::{
    AllocKind, AsyncInst, Combine, DescriptorInst, GpuInst, Id, Inst, Launch, MemoryInst, OpClass,
    ShuffleMode, Slot, SyncInst,
};
use crate::interp::error::{Fault, Run};
use crate::interp::memref::Shape;
use crate::interp::tasks::Tasks;
use crate::interp::value::Value;
use std::rc::Rc;
use terrace_dialects::gpu::{FuncOp, GridBarrierOp, LaunchOp, RowsAlignedOp};
use terrace_ir::{Context, Op, OpKind, Value as IrValue, symbols};

impl Decoder<'_> {
    fn emit_gpu(&mut self, inst: GpuInst) {
        self.emit(OpClass::Gpu, Inst::Gpu(Box::new(inst)));
    }

    fn sync(&mut self, inst: SyncInst) {
        self.emit_gpu(GpuInst::Sync(inst));
    }

    pub(super) fn gpu(&mut self, op: Op, name: &str) -> Run<()> {
        let ctx = self.ctx;
        if let Some(id) = self.id(op, name) {
            let dst = self.result(op, 0)?;
            self.emit_gpu(GpuInst::Id { id, dst });
            return Ok(());
        }
        match name {
            "launch" => self.launch(op)?,
            "launch_func" => self.launch_func(op)?,
            "return" => {
                let values = self.operands_from(op, 0);
                self.emit(OpClass::Control, Inst::Return(values.into()));
            }
            "terminator" => self.emit(OpClass::Control, Inst::Return([].into())),
            "yield" => self.yield_values(op)?,
            // A cooperative launch has one block here.
            "barrier" | "grid_barrier" => self.sync(SyncInst::Barrier),
            // Blocks run one behind the other here.
            "load_acquire" | "load_relaxed" => self.memref_load(op)?,
            "store_release" | "store_relaxed" => self.memref_store(op)?,
            // There is no profile here.
            "note_work" => {}
            "rows_aligned" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                let bytes = RowsAlignedOp::wrap(op).bytes(ctx);
                let inst = DescriptorInst::RowsAligned { bytes };
                self.memory(MemoryInst::Descriptor { source, inst, dst });
            }
            "shuffle" => self.shuffle(op)?,
            "rotate" => self.rotate(op)?,
            "subgroup_broadcast" => {
                let lane = if op.num_operands(ctx) > 1 {
                    Some(self.operand(op, 1)?)
                } else {
                    None
                };
                let (value, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                self.sync(SyncInst::Broadcast { value, lane, dst });
            }
            "subgroup_reduce" => self.subgroup_reduce(op)?,
            "all_reduce" => {
                let combine = self.combine(op)?;
                let (value, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                self.sync(SyncInst::AllReduce {
                    combine,
                    value,
                    dst,
                });
            }
            "printf" => {
                let format = op.str_attr(ctx, "format").ok_or("lacks a format")?.into();
                let args = self.operands_from(op, 0).into();
                self.emit_gpu(GpuInst::Printf { format, args });
            }
            "dynamic_shared_memory" => {
                let dst = self.result(op, 0)?;
                self.emit_gpu(GpuInst::DynamicShared { dst });
            }
            "alloc" => self.gpu_alloc(op)?,
            "dealloc" => self.gpu_dealloc(op)?,
            "memcpy" => self.memcpy(op)?,
            "memset" => self.memset(op)?,
            "host_register" | "host_unregister" => {
                let register = MemoryInst::HostRegister {
                    memref: self.operand(op, 0)?,
                    on: name == "host_register",
                };
                self.memory(register);
            }
            _ if name.starts_with("subgroup_mma_") => {
                self.matrix(op, &name["subgroup_mma_".len()..])?;
            }
            "wait" => self.wait(op)?,
            "set_default_device" => {}
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    fn shuffle(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let mode = match attrs::keyword(ctx, op, "mode").as_deref() {
            Some("xor") => ShuffleMode::Xor,
            Some("up") => ShuffleMode::Up,
            Some("down") => ShuffleMode::Down,
            Some("idx") => ShuffleMode::Idx,
            _ => return Err("lacks a mode".into()),
        };
        let (value, offset, width) = (
            self.operand(op, 0)?,
            self.operand(op, 1)?,
            self.operand(op, 2)?,
        );
        let (dst, valid) = (self.result(op, 0)?, self.result(op, 1)?);
        self.sync(SyncInst::Shuffle {
            mode,
            value,
            offset,
            width,
            dst,
            valid,
        });
        Ok(())
    }

    fn rotate(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let number = |n: &str| {
            op.int_attr(ctx, n)
                .ok_or_else(|| Fault::new(format!("lacks '{n}'")))
        };
        let (offset, width) = (number("offset")?, number("width")?);
        let (value, dst, valid) = (
            self.operand(op, 0)?,
            self.result(op, 0)?,
            self.result(op, 1)?,
        );
        self.sync(SyncInst::Rotate {
            value,
            offset,
            width,
            dst,
            valid,
        });
        Ok(())
    }

    fn subgroup_reduce(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let combine = self.combine(op)?;
        let cluster = op.int_attr(ctx, "cluster_size");
        let cluster = cluster.map(|n| (n, op.int_attr(ctx, "cluster_stride").unwrap_or(1)));
        let (value, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
        self.sync(SyncInst::SubgroupReduce {
            combine,
            value,
            cluster,
            dst,
        });
        Ok(())
    }

    fn gpu_alloc(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let groups = self.segments(op, 3)?;
        let shared = op.attr(ctx, "hostShared").is_some();
        let kind = if shared {
            AllocKind::HostShared
        } else {
            AllocKind::Device
        };
        self.alloc(op, kind, &groups[1], &groups[2])?;
        if op.num_results(ctx) > 1 {
            let of = Some((groups[0].clone().into(), [].into()));
            let dst = self.result(op, 1)?;
            self.emit_async(AsyncInst::Join { of, on: None, dst });
        }
        Ok(())
    }

    fn gpu_dealloc(&mut self, op: Op) -> Run<()> {
        let memref = self.last_operands(op, 1)?[0];
        let free = MemoryInst::Free {
            memref,
            device: true,
        };
        self.after_dependencies(op, |this| {
            this.memory(free);
            Ok(())
        })
    }

    fn memcpy(&mut self, op: Op) -> Run<()> {
        let v = self.last_operands(op, 2)?;
        let copy = MemoryInst::Copy {
            target: v[0],
            source: v[1],
            anywhere: true,
        };
        self.after_dependencies(op, |this| {
            this.memory(copy);
            Ok(())
        })
    }

    fn memset(&mut self, op: Op) -> Run<()> {
        let v = self.last_operands(op, 2)?;
        let fill = MemoryInst::Fill {
            target: v[0],
            value: v[1],
            anywhere: true,
        };
        self.after_dependencies(op, |this| {
            this.memory(fill);
            Ok(())
        })
    }

    /// The token of a group of copies within a kernel, whose order is that of groups.
    pub(super) fn token(&mut self, op: Op, result: usize) {
        if let Ok(dst) = self.result(op, result) {
            let value = Value::Token(Tasks::default());
            self.emit(OpClass::None, Inst::Const { dst, value });
        }
    }

    fn emit_async(&mut self, inst: AsyncInst) {
        self.emit(OpClass::None, Inst::Gpu(Box::new(GpuInst::Async(inst))));
    }

    /// Makes the op that `body` emits asynchronous where its result number `result`
    /// exists, the token. It comes after tokens, and what its queue was given; where it
    /// is not asynchronous the host waits for them.
    pub(super) fn in_order(
        &mut self,
        op: Op,
        result: usize,
        (tokens, queue): (Box<[Slot]>, Option<Slot>),
        body: impl FnOnce(&mut Self) -> Run<()>,
    ) -> Run<()> {
        if op.num_results(self.ctx) <= result {
            if !tokens.is_empty() {
                let of = Some((tokens, [].into()));
                self.emit_async(AsyncInst::Wait { of });
            }
            return body(self);
        }
        let dst = self.result(op, result)?;
        self.emit_async(AsyncInst::Begin {
            name: op.def(self.ctx).map_or("an op", |d| d.name),
            tokens,
            queue,
        });
        body(self)?;
        self.emit_async(AsyncInst::End { queue, dst });
        Ok(())
    }

    /// As [`Self::in_order`], for the dependencies that ops of `gpu` have.
    fn after_dependencies(&mut self, op: Op, body: impl FnOnce(&mut Self) -> Run<()>) -> Run<()> {
        let tokens = op.operand_group(self.ctx, "asyncDependencies");
        let tokens = self.slots(&tokens).into();
        self.in_order(op, 0, (tokens, None), body)
    }

    /// `xfer.wait` and `gpu.wait`.
    pub(super) fn wait(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let tokens = op.operand_group(ctx, "asyncDependencies");
        let queues = op.operand_group(ctx, "queues");
        let on = op.operand_group(ctx, "onQueue");
        let is_async = op.num_results(ctx) > 0;
        // `gpu.wait` without a token is for all that was started.
        let all =
            op.attr(ctx, "all").is_some() || tokens.is_empty() && queues.is_empty() && !is_async;
        let of = match all {
            true => None,
            false => Some((self.slots(&tokens).into(), self.slots(&queues).into())),
        };
        let on = self.slots(&on).first().copied();
        let inst = match is_async {
            true => AsyncInst::Join {
                of,
                on,
                dst: self.result(op, 0)?,
            },
            false => AsyncInst::Wait { of },
        };
        self.emit_async(inst);
        Ok(())
    }

    /// The operands behind the async dependencies.
    fn last_operands(&mut self, op: Op, n: usize) -> Run<Vec<Slot>> {
        let all = self.operands_from(op, 0);
        let from = all.len().checked_sub(n).ok_or("lacks operands")?;
        Ok(all[from..].to_vec())
    }

    fn id(&self, op: Op, name: &str) -> Option<Id> {
        let dim = || match attrs::keyword(self.ctx, op, "dimension")?.as_str() {
            "x" => Some(0),
            "y" => Some(1),
            "z" => Some(2),
            _ => None,
        };
        Some(match name {
            "thread_id" => Id::Thread(dim()?),
            "block_id" => Id::Block(dim()?),
            "block_dim" => Id::BlockDim(dim()?),
            "grid_dim" => Id::GridDim(dim()?),
            "global_id" => Id::Global(dim()?),
            "cluster_id" => Id::Cluster(dim()?),
            "cluster_dim" => Id::ClusterDim(dim()?),
            "cluster_block_id" => Id::ClusterBlock(dim()?),
            "cluster_dim_blocks" => Id::ClusterDimBlocks(dim()?),
            "lane_id" => Id::Lane,
            "subgroup_id" => Id::Subgroup,
            "subgroup_size" => Id::SubgroupSize,
            "num_subgroups" => Id::NumSubgroups,
            _ => return None,
        })
    }

    fn combine(&mut self, op: Op) -> Run<Combine> {
        let ctx = self.ctx;
        if let Some(kind) = attrs::keyword(ctx, op, "op") {
            let elem = self.elem(op.operand(ctx, 0).ty(ctx))?;
            return Ok(Combine::Op(attrs::combining_kind(&kind, elem)?));
        }
        let code = self.nested(op)?;
        if !code.captures.is_empty() || code.args != 2 {
            return Err("has a body that is not a function of two values".into());
        }
        Ok(Combine::Body(Rc::new(code)))
    }

    fn launch(&mut self, op: Op) -> Run<()> {
        if self.root.name(self.ctx) == LaunchOp::NAME {
            return Err("a launch inside of a launch cannot be run".into());
        }
        let groups = self.segments(op, 11)?;
        let [grid, block, cluster] = sizes(&groups)?;
        let body = Rc::new(self.nested(op)?);
        let args = body.captures.clone().into();
        let launch = Launch {
            kernel: op,
            body: Some(body),
            grid: grid.ok_or("lacks grid sizes")?,
            block: block.ok_or("lacks block sizes")?,
            cluster,
            cooperative: is_cooperative(self.ctx, op),
            shared: groups[10].first().copied(),
            args,
        };
        self.after_dependencies(op, |this| {
            this.emit_gpu(GpuInst::Launch(launch));
            Ok(())
        })
    }

    fn launch_func(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let groups = self.segments(op, 13)?;
        let [grid, block, cluster] = sizes(&groups)?;
        let symbol = op.attr(ctx, "kernel").ok_or("lacks the name of a kernel")?;
        let kernel = symbols::lookup(ctx, op, symbol)
            .ok_or_else(|| Fault::new(format!("there is no kernel {}", ctx.attr_text(symbol))))?;
        let launch = Launch {
            kernel,
            body: None,
            grid: grid.ok_or("lacks grid sizes")?,
            block: block.ok_or("lacks block sizes")?,
            cluster,
            cooperative: is_cooperative(ctx, kernel),
            shared: groups[10].first().copied(),
            args: groups[11].clone().into(),
        };
        self.after_dependencies(op, |this| {
            this.emit_gpu(GpuInst::Launch(launch));
            Ok(())
        })
    }
}

/// Whether the blocks of a kernel wait for each other.
fn is_cooperative(ctx: &Context, kernel: Op) -> bool {
    !kernel.find_all::<GridBarrierOp>(ctx).is_empty()
}

/// Sizes of grid, block and cluster: operand groups 1 to 9, one operand each.
fn sizes(groups: &[Vec<Slot>]) -> Run<[Option<[Slot; 3]>; 3]> {
    let three = |from: usize| -> Option<[Slot; 3]> {
        Some([
            *groups[from].first()?,
            *groups[from + 1].first()?,
            *groups[from + 2].first()?,
        ])
    };
    Ok([three(1), three(4), three(7)])
}

/// Arguments that are buffers, and their types.
type Buffers = Vec<(Slot, Shape)>;

/// The buffers in workgroup and private memory that a kernel's entry block has as its
/// last arguments.
pub(super) fn attributions(ctx: &Context, op: Op, args: &[IrValue]) -> (Buffers, Buffers) {
    let count = |name: &str| op.int_attr(ctx, name).and_then(|n| usize::try_from(n).ok());
    let fixed = match op.name(ctx) {
        FuncOp::NAME => op
            .attr(ctx, "function_type")
            .and_then(|a| a.as_type(ctx))
            .and_then(|t| t.function_parts(ctx))
            .map_or(args.len(), |(inputs, _)| inputs.len()),
        LaunchOp::NAME => {
            let clusters = op
                .attr(ctx, "operandSegmentSizes")
                .and_then(|a| a.as_i64_array(ctx))
                .is_some_and(|s| s.get(7).is_some_and(|n| *n > 0));
            if clusters { 18 } else { 12 }
        }
        _ => args.len(),
    };
    let workgroup = count("workgroup_attributions");
    let mut lists = (Vec::new(), Vec::new());
    for (k, a) in args.iter().enumerate().skip(fixed) {
        let Ok(shape) = shape_of(ctx, a.ty(ctx)) else {
            continue;
        };
        let shared = match workgroup {
            Some(n) => k < fixed + n,
            None => is_workgroup(ctx, a.ty(ctx)),
        };
        let list = if shared { &mut lists.0 } else { &mut lists.1 };
        list.push((k as Slot, shape));
    }
    lists
}
