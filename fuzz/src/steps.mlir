schedule.sequence @s on @gemm {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %t:6 = schedule.tile %i sizes [2, 3, 4]
  %p:3 = schedule.permute %t#3 order [2, 0, 1]
  %q = schedule.parallel %t#0
  %u = schedule.unroll_jam %p#1 by 2
}

schedule.sequence @s on @gemm {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %k = schedule.find_loop {iv = "k"} : !schedule.loop
  %r = schedule.promote %k array "C"
  %v = schedule.vectorize %j by 4
}

schedule.sequence @s on @lu {
  %c = schedule.find_loop {label = "column"} : !schedule.loop
  %u = schedule.find_loop {label = "update"} : !schedule.loop
  %f = schedule.fuse %c, %u aligned
  %t:4 = schedule.tile %f sizes [2, 2] separate
}

schedule.sequence @s on @seidel {
  %s = schedule.find_loop {iv = "s"} : !schedule.loop
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %k:2 = schedule.skew %s, %i by 1
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %l:2 = schedule.skew %k#1, %j by 1
  %p:3 = schedule.permute %k#0 order [1, 0, 2]
}

schedule.sequence @s on @seidel {
  %s = schedule.find_loop {iv = "s"} : !schedule.loop
  %t:2 = schedule.reschedule %s, %s to [affine_map<(s, i, j) -> (s + i, i + j, j)>] parallel [[2]]
}

schedule.sequence @s on @neighbours {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %k = schedule.find_loop {iv = "k"} : !schedule.loop
  %n = schedule.normalize %j
  %h = schedule.shift %n by -2
  %r = schedule.reverse %k
  %f = schedule.fuse %h, %r
  %d:2 = schedule.distribute %f at [1]
}

schedule.sequence @s on @neighbours {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %a:2 = schedule.peel %j front 1
  %b:2 = schedule.split %a#0 at 7
  %c:2 = schedule.peel %b#0 remainder 2
  schedule.unroll %c#1 full
  %m = schedule.strip_mine %b#1 by 3
}

schedule.sequence @s on @temporary {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "T"
  %d:2 = schedule.distribute %e into 2
  %p = schedule.parallel %d#0
  %c = schedule.coalesce %d#1 depth 2
}

schedule.sequence @s on @temporary {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "T" private
  %g = schedule.stage %e array "A" space 3
  %p = schedule.parallel %g
}

schedule.sequence @s on @carried {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p:3 = schedule.isolate %i into 3
}

schedule.sequence @s on @carried {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %b:3 = schedule.scan %j by 4
  %p = schedule.parallel %b#0
  %q = schedule.parallel %b#2
}

schedule.sequence @s on @carried {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %v = schedule.vectorize %i by 2 reductions
  %p = schedule.parallel %v reductions
}

schedule.sequence @s on @calls {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %n = schedule.inline %i
  %o = schedule.parallel %n
  schedule.outline %o to @apart
}

schedule.sequence @s on @calls {
  %p = schedule.find_loop {iv = "p"} : !schedule.loop
  %u = schedule.find_loop {iv = "u"} : !schedule.loop
  %f = schedule.fuse_nests %p, %u
  schedule.map_to_gpu %f order [1, 0] tile [2, 1] cyclic block [4, 2]
}
