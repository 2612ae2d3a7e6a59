//! Where a thread is: ids and sizes of threads, blocks, clusters and subgroups.

use super::enums::{DIMENSION, DIMENSION_ATTR};
use terrace_ir::constraint::{INDEX, INDEX_ATTR};
use terrace_ir::{Builder, Context, Op, OpKind, Value, op};

/// Ops that take a dimension, `gpu.thread_id x upper_bound 64`.
macro_rules! dimension_ops {
    ($($doc:literal $t:ident = $name:literal;)*) => {
        op! {$(
            #[doc = $doc]
            $t = $name {
                results: [result: INDEX],
                attrs: [dimension: DIMENSION_ATTR, upper_bound: INDEX_ATTR.optional()],
                traits: PURE,
                format: "$dimension (`upper_bound` $upper_bound^)? attr-dict",
                result_names: |ctx, op| vec![Some(dimension_name(ctx, op))],
            }
        )*}
        $(impl $t {
            /// 0, 1 or 2 for x, y or z.
            pub fn dimension(self, ctx: &Context) -> i64 {
                self.op().attr(ctx, "dimension").and_then(|a| DIMENSION.value(ctx, a)).unwrap_or(0)
            }

            /// A bound that the value stays below (sizes: does not exceed).
            pub fn upper_bound(self, ctx: &Context) -> Option<i64> {
                self.op().int_attr(ctx, "upper_bound")
            }

            /// The value along dimension 0, 1 or 2.
            pub fn build(b: &mut Builder, dimension: i64) -> Value {
                let (ty, d) = (b.ctx.index(), DIMENSION.attr(b.ctx, dimension));
                b.value::<$t>(&[], ty, &[("dimension", d)])
            }
        })*
    };
}

dimension_ops! {
    "The index of the thread in its block." ThreadIdOp = "gpu.thread_id";
    "The index of the block in the grid." BlockIdOp = "gpu.block_id";
    "The number of threads in a block." BlockDimOp = "gpu.block_dim";
    "The number of blocks in the grid." GridDimOp = "gpu.grid_dim";
    "The index of the thread in the grid: block id times block size plus thread id." GlobalIdOp = "gpu.global_id";
    "The index of the cluster in the grid." ClusterIdOp = "gpu.cluster_id";
    "The number of clusters in the grid." ClusterDimOp = "gpu.cluster_dim";
    "The number of blocks in a cluster." ClusterDimBlocksOp = "gpu.cluster_dim_blocks";
    "The index of the block in its cluster." ClusterBlockIdOp = "gpu.cluster_block_id";
}

/// Such as `thread_id_x`.
fn dimension_name(ctx: &Context, op: Op) -> String {
    let d = op
        .attr(ctx, "dimension")
        .and_then(|a| DIMENSION.value(ctx, a));
    let d = d.and_then(|v| DIMENSION.keyword(v)).unwrap_or_default();
    let name = op.name(ctx);
    format!("{}_{d}", name.strip_prefix("gpu.").unwrap_or(name))
}

op! {
    /// The index of the thread in its subgroup (a warp).
    LaneIdOp = "gpu.lane_id" {
        results: [result: INDEX],
        attrs: [upper_bound: INDEX_ATTR.optional()],
        traits: PURE,
        format: "(`upper_bound` $upper_bound^)? attr-dict",
    }

    /// The index of the subgroup in its block.
    SubgroupIdOp = "gpu.subgroup_id" {
        results: [result: INDEX],
        attrs: [upper_bound: INDEX_ATTR.optional()],
        traits: PURE,
        format: "(`upper_bound` $upper_bound^)? attr-dict `:` type($result)",
    }

    /// The number of subgroups in a block.
    NumSubgroupsOp = "gpu.num_subgroups" {
        results: [result: INDEX],
        attrs: [upper_bound: INDEX_ATTR.optional()],
        traits: PURE,
        format: "(`upper_bound` $upper_bound^)? attr-dict `:` type($result)",
    }

    /// The number of threads in a subgroup.
    SubgroupSizeOp = "gpu.subgroup_size" {
        results: [result: INDEX],
        attrs: [upper_bound: INDEX_ATTR.optional()],
        traits: PURE,
        format: "(`upper_bound` $upper_bound^)? attr-dict `:` type($result)",
    }
}
