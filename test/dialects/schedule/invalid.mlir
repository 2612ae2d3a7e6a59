// RUN: terrace-opt %s --split-input-file --verify-diagnostics

schedule.sequence @s {
  // expected-error @+1 {{needs at least one of 'iv', 'line', 'label' and 'nest' to know the loop by}}
  %l = schedule.find_loop : !schedule.loop
}

// -----

schedule.sequence @s {
  // expected-error @+1 {{has an empty name to look for}}
  %l = schedule.find_loop {label = ""} : !schedule.loop
}

// -----

schedule.sequence @s {
  // expected-error @+1 {{looks for line 0, but lines count from 1}}
  %l = schedule.find_loop {line = 0 : i64} : !schedule.loop
}

// -----

schedule.sequence @s {
  // expected-error @+1 {{has a 'nest' that is no place: it must be a list of numbers from 0}}
  %l = schedule.find_loop {nest = [-1]} : !schedule.loop
}

// -----

// expected-error @+1 {{'schedule.find_loop' op expects parent op 'schedule.sequence'}}
%l = schedule.find_loop {iv = "i"} : !schedule.loop

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{needs at least one size}}
  schedule.tile %l sizes []
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has a tile size 0, but sizes must be 1 or more}}
  %t:2 = schedule.tile %l sizes [0]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{gives 1 loops, but 1 sizes make 2: a loop over the tiles and one within for each}}
  %t = "schedule.tile"(%l) <{sizes = array<i64: 4>}> : (!schedule.loop) -> !schedule.loop
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{needs 'by' a factor, or 'full'}}
  %u = schedule.unroll %l
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{cannot unroll both by a factor and in full}}
  schedule.unroll %l by 4 full
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the factor 0, but it must be 1 or more}}
  %u = schedule.unroll %l by 0
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{must give the loop that is left}}
  "schedule.unroll"(%l) <{factor = 2 : i64}> : (!schedule.loop) -> ()
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{gives a loop, but unrolled in full none is left}}
  %u = "schedule.unroll"(%l) <{full}> : (!schedule.loop) -> !schedule.loop
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-note @+1 {{used up here}}
  %n = schedule.normalize %l
  // expected-error @+1 {{'schedule.parallel' op uses a loop handle that a step before has used up}}
  %p = schedule.parallel %l
}

// -----

schedule.sequence @s {
  // expected-error @+1 {{'arith.constant' is no step of a schedule}}
  %c = arith.constant 1 : index
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'schedule.label' must be a string that is not empty}}
  affine.for %i = 0 to 4 {
  } {schedule.label = 1 : i64}
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{has 'schedule.iv', which is for loops}}
  %c = arith.constant {schedule.iv = "i"} 1 : index
  return
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the order [0, 2], but it must name each of 0 to 1 once}}
  %p:2 = schedule.permute %l order [0, 2]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{gives 1 loops, but orders 2}}
  %p = "schedule.permute"(%l) <{order = array<i64: 1, 0>}> : (!schedule.loop) -> !schedule.loop
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{needs at least one place}}
  schedule.permute %l order []
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the depth 1, but it must be 2 or more}}
  %p = schedule.coalesce %l depth 1
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the size 0, but it must be 1 or more}}
  %p:2 = schedule.strip_mine %l by 0
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the factor -1, but it must be 1 or more}}
  %p = schedule.unroll_jam %l by -1
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{needs one of 'front', 'back' and 'remainder' to know what to take off}}
  %p:2 = schedule.peel %l
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has front and back, but only one can be}}
  %p:2 = schedule.peel %l front 1 back 2
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the number of iterations 0, but it must be 1 or more}}
  %p:2 = schedule.peel %l remainder 0
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{needs the statements 'at' which to cut, or 'into' how many parts}}
  schedule.distribute %l
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{cannot cut both at given statements and into as many parts as can be}}
  %p:2 = schedule.distribute %l at [1] into 2
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the cuts [2, 1], but they must be 1 or more and rise}}
  %p:3 = schedule.distribute %l at [2, 1]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{makes 0 parts, but there must be 1 to 65536}}
  schedule.distribute %l into 0
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{gives 1 loops, but makes 2 parts}}
  %p = "schedule.distribute"(%l) <{cuts = array<i64: 1>}> : (!schedule.loop) -> !schedule.loop
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has an empty name of an array}}
  %p = schedule.stage %l array ""
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the memory space -1, but they count from 0}}
  %p = schedule.stage %l array "A" space -1
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the number of lanes 0, but it must be 1 or more}}
  %p = schedule.vectorize %l by 0
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has an empty name of a function}}
  schedule.outline %l to @""
}

// -----

// expected-error @+1 {{is for the stage 'last', but there are: source, parallel}}
schedule.sequence @s attributes {stage = "last"} {
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has blocks of 2048 threads, but at most 1024 are possible}}
  schedule.map_to_gpu %l block [64, 32]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has 128 threads along z, but at most 64 are possible}}
  schedule.map_to_gpu %l block [1, 1, 128]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has a block of 4 sizes, but one to three are the threads along x, y and z}}
  schedule.map_to_gpu %l block [1, 1, 1, 1]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has 0 threads along an axis, but 1 to 1024 are possible}}
  schedule.map_to_gpu %l block [0]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has the order [0, 2], but it must name each of 0 to 1 once}}
  schedule.map_to_gpu %l order [0, 2] block [32]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has a tile of 0, but sizes must be 1 or more}}
  schedule.map_to_gpu %l tile [0] block [32]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has tiles that are both 'cyclic' and 'inside'}}
  schedule.map_to_gpu %l tile [2] cyclic inside block [32]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has a block of 1 sizes, but two are its rows and columns}}
  schedule.map_contraction %l block [64]
}

// -----

schedule.sequence @s {
  %l = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{has 9 rows a thread, but 1 to 8 are possible}}
  schedule.map_stencil %l rows 9
}
