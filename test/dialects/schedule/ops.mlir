// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// Every op of the dialect once.

schedule.sequence @tiled on @gemm {
  %i = schedule.find_loop {iv = "i", line = 3 : i64} : !schedule.loop
  %t:4 = schedule.tile %i sizes [32, 8]
  %k = schedule.find_loop in %t#3 {nest = [0]} : !schedule.loop
  %u = schedule.unroll %k by 4
  schedule.unroll %u full
  %n = schedule.normalize %t#0
  %p = schedule.parallel %n
}
schedule.sequence @kernels attributes {stage = "parallel"} {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.map_to_gpu %i order [1, 0] tile [1, 4] inside block [32, 8] {schedule.note = "fast"}
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  schedule.map_to_gpu %j tile [2] cyclic block [64]
  %k = schedule.find_loop {iv = "k"} : !schedule.loop
  schedule.map_contraction %k block [64, 64] depth 8 stages 4
  %l = schedule.find_loop {iv = "l"} : !schedule.loop
  schedule.map_stencil %l rows 4 block [64, 1, 2]
  %m = schedule.find_loop {iv = "m"} : !schedule.loop
  schedule.map_reduction %m
  %p = schedule.find_loop {iv = "p"} : !schedule.loop
  %q = schedule.find_loop {iv = "q"} : !schedule.loop
  %r = schedule.fuse_nests %p, %q
}
schedule.sequence @more {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %t:2 = schedule.tile %i sizes [8] separate
  %s:2 = schedule.strip_mine %t#0 by 4
  %q:2 = schedule.permute %s#0 order [1, 0] {force}
  %k:2 = schedule.skew %q#0, %q#1 by -2
  %r = schedule.reverse %k#0
  %h = schedule.shift %r by 3
  %c = schedule.coalesce %h depth 2
  %u = schedule.unroll_jam %c by 2 reductions
  %f = schedule.fuse %u, %j aligned
  %d:2 = schedule.distribute %f at [2]
  %e:3 = schedule.distribute %d#0 into 3
  %a:2 = schedule.peel %e#0 front 2
  %b:2 = schedule.peel %e#1 back 2
  %g:2 = schedule.peel %e#2 remainder 2
  %l:2 = schedule.split %d#1 at 10
  %m = schedule.stage %l#0 array "A" space 3
  %n = schedule.promote %m array "B"
  %o = schedule.promote %n
  %x = schedule.expand %o array "T"
  %p = schedule.parallel %x reductions
  %v = schedule.vectorize %l#1 by 8 reductions
  %w = schedule.inline %v
  schedule.outline %w to @kernel
}
schedule.sequence @labelled attributes {note = "none"} {
  %l = schedule.find_loop {label = "outer"} : !schedule.loop
  schedule.yield
}
func.func @gemm() {
  affine.for %i = 0 to 4 {
  } {schedule.iv = "i", schedule.label = "outer"}
  affine.for %i = 0 to 4 {
    schedule.instance 3(%i)
  }
  return
}

// CHECK: schedule.sequence @tiled on @gemm {
// CHECK: %{{.*}} = schedule.find_loop {iv = "i", line = 3 : i64} : !schedule.loop
// CHECK: %{{.*}} = schedule.tile %{{.*}} sizes [32, 8]
// CHECK: %{{.*}} = schedule.find_loop in %{{.*}} {nest = [0]} : !schedule.loop
// CHECK: %{{.*}} = schedule.unroll %{{.*}} by 4
// CHECK: schedule.unroll %{{.*}} full
// CHECK: %{{.*}} = schedule.normalize %{{.*}}
// CHECK: %{{.*}} = schedule.parallel %{{.*}}
// CHECK: schedule.sequence @kernels attributes {stage = "parallel"} {
// CHECK: schedule.map_to_gpu %{{.*}} order [1, 0] tile [1, 4] inside block [32, 8] {schedule.note = "fast"}
// CHECK: schedule.map_to_gpu %{{.*}} tile [2] cyclic block [64]
// CHECK: schedule.map_contraction %{{.*}} block [64, 64] depth 8 stages 4
// CHECK: schedule.map_stencil %{{.*}} rows 4 block [64, 1, 2]
// CHECK: schedule.map_reduction %{{.*}}
// CHECK: %{{.*}} = schedule.fuse_nests %{{.*}}, %{{.*}}
// CHECK: schedule.sequence @more {
// CHECK: schedule.tile %{{.*}} sizes [8] separate
// CHECK: schedule.strip_mine %{{.*}} by 4
// CHECK: schedule.permute %pieces{{.*}} order [1, 0] {force}
// CHECK: schedule.skew %{{.*}}#0, %{{.*}}#1 by -2
// CHECK: schedule.reverse %outside{{.*}}
// CHECK: schedule.shift %{{.*}} by 3
// CHECK: schedule.coalesce %{{.*}} depth 2
// CHECK: schedule.unroll_jam %{{.*}} by 2 reductions
// CHECK: schedule.fuse %{{.*}}, %{{.*}} aligned
// CHECK: schedule.distribute %{{.*}} at [2]
// CHECK: schedule.distribute %{{.*}}#0 into 3
// CHECK: schedule.peel %{{.*}}#0 front 2
// CHECK: schedule.peel %{{.*}}#1 back 2
// CHECK: schedule.peel %{{.*}}#2 remainder 2
// CHECK: schedule.split %{{.*}}#1 at 10
// CHECK: schedule.stage %below{{.*}} array "A" space 3
// CHECK: schedule.promote %{{.*}} array "B"
// CHECK: schedule.promote %{{.*}}
// CHECK: schedule.expand %{{.*}} array "T"
// CHECK: schedule.parallel %{{.*}} reductions
// CHECK: schedule.vectorize %above{{.*}} by 8 reductions
// CHECK: %{{.*}} = schedule.inline %{{.*}}
// CHECK: schedule.outline %{{.*}} to @kernel
// CHECK: schedule.sequence @labelled attributes {note = "none"} {
// CHECK: %{{.*}} = schedule.find_loop {label = "outer"} : !schedule.loop
// CHECK: func.func @gemm() {
// CHECK: affine.for %{{.*}} = 0 to 4 {
// CHECK: schedule.instance 3(%{{.*}})
