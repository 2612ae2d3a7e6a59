//! Where a thread is, and `gpu` ops in general.

use super::access::writable;
use super::lower::{Lower, Res};
use super::value::Idx;
use crate::ptx::modifiers::{AtomOp, Scope, Sem};
use crate::ptx::{Address, Cmp, Reg, Space, Special, Ty};
use terrace_dialects::gpu::DIMENSION;
use terrace_ir::{Op, Value};

const TID: [Special; 3] = [Special::TidX, Special::TidY, Special::TidZ];
const NTID: [Special; 3] = [Special::NtidX, Special::NtidY, Special::NtidZ];
const CTAID: [Special; 3] = [Special::CtaidX, Special::CtaidY, Special::CtaidZ];
const NCTAID: [Special; 3] = [Special::NctaidX, Special::NctaidY, Special::NctaidZ];

/// Threads of a warp.
pub(super) const WARP: u32 = 32;

impl Lower<'_> {
    pub fn gpu(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "thread_id" => self.id(op, TID),
            "block_dim" => self.id(op, NTID),
            "block_id" => self.id(op, CTAID),
            "grid_dim" => self.id(op, NCTAID),
            "global_id" => self.global_id(op),
            "lane_id" => {
                let r = self.b.special(Special::LaneId);
                self.define_wide(op, r)
            }
            "subgroup_size" => {
                let r = self.const64(i64::from(WARP));
                self.define_reg(op, r)
            }
            "subgroup_id" => {
                let t = self.linear_thread();
                let r = self.b.shr(Ty::U32, t, WARP.trailing_zeros());
                self.define_wide(op, r)
            }
            "num_subgroups" => {
                let r = self.warps();
                self.define_wide(op, r)
            }
            // What is noted for profiles is no work of the kernel.
            "note_work" => Ok(()),
            "rows_aligned" => self.rows_aligned(op),
            "barrier" => {
                self.b.bar_sync(0);
                Ok(())
            }
            "grid_barrier" => self.grid_barrier(op),
            "load_acquire" => self.load_acquire(op),
            "store_release" => self.store_release(op),
            "load_relaxed" => self.load_relaxed(op),
            "store_relaxed" => self.store_relaxed(op),
            "return" => self.ret(op),
            "dynamic_shared_memory" => self.dynamic_shared(op),
            "shuffle" => self.shuffle(op),
            "subgroup_reduce" => self.subgroup_reduce(op),
            "all_reduce" => self.all_reduce(op),
            _ if name.starts_with("subgroup_mma_") => {
                self.matrix_op(op, &name["subgroup_mma_".len()..])
            }
            "printf" => Err("is not supported on the GPU; write what is to be printed to a memref".to_string()),
            _ => Err(
                "is not supported in GPU code; of gpu: the thread, block, lane and subgroup ids and sizes, barrier, grid_barrier, load_acquire, store_release, load_relaxed, store_relaxed, rows_aligned, shuffle, subgroup_reduce, all_reduce, subgroup_mma_*, dynamic_shared_memory, return"
                    .to_string(),
            ),
        }
    }

    fn dimension(&self, op: Op) -> Res<usize> {
        let d = op
            .attr(self.ctx, "dimension")
            .and_then(|a| DIMENSION.value(self.ctx, a));
        d.and_then(|d| usize::try_from(d).ok())
            .filter(|d| *d < 3)
            .ok_or_else(|| "has no dimension".to_string())
    }

    fn id(&mut self, op: Op, of: [Special; 3]) -> Res<()> {
        let d = self.dimension(op)?;
        let r = self.b.special(of[d]);
        self.define_wide(op, r)
    }

    fn global_id(&mut self, op: Op) -> Res<()> {
        let d = self.dimension(op)?;
        let [block, size, thread] = [CTAID[d], NTID[d], TID[d]].map(|s| self.b.special(s));
        let first = self.b.mul_wide(Ty::U32, block, size);
        let thread = self.b.cvt(Ty::U64, Ty::U32, thread);
        let r = self.b.add(Ty::S64, first, thread);
        self.define_reg(op, r)
    }

    /// Gives the op's index result a number of 32 bits.
    fn define_wide(&mut self, op: Op, r: Reg) -> Res<()> {
        let wide = self.b.cvt(Ty::U64, Ty::U32, r);
        self.define_reg(op, wide)
    }

    /// Waits for all blocks of a grid.
    ///
    /// Each block adds to the counter such that after the last one its highest bit is another
    /// than before the first; so it needs no reset between barriers. One thread of a block does
    /// so for all, between two barriers of the block, of which the first brings together what
    /// the fence is to make known, and the second hands on what the load has learned.
    fn grid_barrier(&mut self, op: Op) -> Res<()> {
        let counter = self.memref_val(op.operand(self.ctx, 0))?;
        let zero = self.const64(0);
        let address = self.address(&counter, &[Idx::Reg(zero)])?;
        self.b.bar_sync(0);
        let thread = self.linear_thread();
        let is_first = self.b.setp(Cmp::Eq, Ty::U32, thread, 0);
        let [meet, wait, done] = ["grid_meet", "grid_wait", "grid_done"].map(|n| self.new_block(n));
        self.b.cond_bra(is_first, meet, done);
        self.enter(meet);
        self.b.fence(Sem::AcqRel, Scope::Gpu);
        let [x, y, z] = CTAID.map(|s| self.b.special(s));
        let block = self.b.or(Ty::B32, x, y);
        let block = self.b.or(Ty::B32, block, z);
        let [x, y, z] = NCTAID.map(|s| self.b.special(s));
        let blocks = self.b.mul(Ty::U32, x, y);
        let blocks = self.b.mul(Ty::U32, blocks, z);
        let others = self.b.sub(Ty::U32, blocks, 1);
        let high = self.b.mov(Ty::U32, i64::from(1u32 << 31));
        let rest = self.b.sub(Ty::U32, high, others);
        let first_block = self.b.setp(Cmp::Eq, Ty::U32, block, 0);
        let share = self.b.selp(Ty::B32, rest, 1, first_block);
        let before = self
            .b
            .atom(counter.space, AtomOp::Add, Ty::U32, address, share);
        self.b.bra(wait);
        self.enter(wait);
        let now = self.b.ld_acquire(counter.space, Ty::B32, address);
        let changed = self.b.xor(Ty::B32, before, now);
        let same = self.b.setp(Cmp::Ge, Ty::S32, changed, 0);
        self.b.cond_bra(same, wait, done);
        self.enter(done);
        self.b.bar_sync(0);
        Ok(())
    }

    /// A word that blocks tell each other: its address space and its address, by the memref and subscripts of `at`.
    fn word(&mut self, at: &[Value], stored: bool) -> Res<(Space, Address)> {
        let m = self.memref_val(at[0])?;
        if stored {
            writable(&m)?;
        }
        let subscripts = self.idxs(&at[1..])?;
        Ok((m.space, self.address(&m, &subscripts)?))
    }

    fn load_acquire(&mut self, op: Op) -> Res<()> {
        let (space, address) = self.word(&op.operands(self.ctx), false)?;
        let r = self.b.ld_acquire(space, Ty::B32, address);
        self.define_reg(op, r)
    }

    fn load_relaxed(&mut self, op: Op) -> Res<()> {
        let (space, address) = self.word(&op.operands(self.ctx), false)?;
        let r = self.b.ld_relaxed(space, Ty::B64, address);
        self.define_reg(op, r)
    }

    fn store_release(&mut self, op: Op) -> Res<()> {
        let v = op.operands(self.ctx);
        let (space, address) = self.word(&v[1..], true)?;
        let value = self.scalar(v[0])?;
        self.b.st_release(space, Ty::B32, address, value);
        Ok(())
    }

    fn store_relaxed(&mut self, op: Op) -> Res<()> {
        let v = op.operands(self.ctx);
        let (space, address) = self.word(&v[1..], true)?;
        let value = self.scalar(v[0])?;
        self.b.st_relaxed(space, Ty::B64, address, value);
        Ok(())
    }

    /// The number of the thread in its block, x fastest.
    pub fn linear_thread(&mut self) -> Reg {
        let [x, y, z] = TID.map(|s| self.b.special(s));
        let [nx, ny] = [NTID[0], NTID[1]].map(|s| self.b.special(s));
        let rows = self.b.mad(Ty::U32, z, ny, y);
        self.b.mad(Ty::U32, rows, nx, x)
    }

    /// The number of threads in a block.
    pub fn block_threads(&mut self) -> Reg {
        let [x, y, z] = NTID.map(|s| self.b.special(s));
        let xy = self.b.mul(Ty::U32, x, y);
        self.b.mul(Ty::U32, xy, z)
    }

    /// The number of warps in a block.
    pub fn warps(&mut self) -> Reg {
        let threads = self.block_threads();
        let up = self.b.add(Ty::U32, threads, WARP - 1);
        self.b.shr(Ty::U32, up, WARP.trailing_zeros())
    }

    /// Whether all warps of a block are known to be full.
    pub fn full_warps(&self) -> bool {
        let threads = self
            .func
            .block
            .map(|b| b.iter().fold(1u64, |n, d| n.saturating_mul(u64::from(*d))));
        threads.is_some_and(|n| n % u64::from(WARP) == 0)
    }
}
