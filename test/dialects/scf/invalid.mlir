// RUN: terrace-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @for_names(%i: index, %x: f32) {
  // expected-error @+1 {{mismatch in number of loop-carried values and defined values}}
  scf.for %k = %i to %i step %i iter_args(%a = %x) -> (f32, f32) {
  }
  return
}

// -----

func.func @for_results(%i: index, %x: f32) {
  // expected-error @+1 {{mismatch in number of loop-carried values and defined values}}
  "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%k: index, %a: f32):
    scf.yield %a : f32
  }) : (index, index, index, f32) -> ()
  return
}

// -----

func.func @for_args(%i: index, %x: f32) {
  // expected-error @+1 {{different number of inits and region iter_args: 1 != 2}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%k: index, %a: f32, %b: f32):
    scf.yield %a, %b : f32, f32
  }) : (index, index, index, f32) -> f32
  return
}

// -----

func.func @for_yields(%i: index, %x: f32) {
  // expected-error @+1 {{different number of region iter_args and yielded values: 1 != 2}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%k: index, %a: f32):
    scf.yield %a, %a : f32, f32
  }) : (index, index, index, f32) -> f32
  return
}

// -----

func.func @for_yields_nothing(%i: index, %x: f32) {
  // expected-error @+1 {{along control flow edge from Operation scf.yield to Region #0: region branch point has 0 operands, but region successor needs 1 inputs}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%k: index, %a: f32):
    // expected-note @+1 {{region branch point}}
    scf.yield
  }) : (index, index, index, f32) -> f32
  return
}

// -----

func.func @for_yield_type(%i: index, %x: f32, %y: i32) {
  // expected-error @+1 {{0-th region iter_arg and 0-th yielded value have different type: 'f32' != 'i32'}}
  %r = scf.for %k = %i to %i step %i iter_args(%a = %x) -> (f32) {
    scf.yield %y : i32
  }
  return
}

// -----

func.func @for_result_type(%i: index, %x: f32) {
  // expected-error @+1 {{0-th region iter_arg and 0-th loop result have different type: 'f32' != 'f64'}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%k: index, %a: f32):
    scf.yield %a : f32
  }) : (index, index, index, f32) -> f64
  return
}

// -----

func.func @for_init_type(%i: index, %x: f32) {
  // expected-error @+1 {{0-th init and 0-th region iter_arg have different type: 'f32' != 'f64'}}
  %r = "scf.for"(%i, %i, %i, %x) ({
  ^bb0(%k: index, %a: f64):
    scf.yield %a : f64
  }) : (index, index, index, f32) -> f64
  return
}

// -----

func.func @for_iv(%i: index) {
  // expected-error @+1 {{expected induction variable to be same type as bounds and step}}
  "scf.for"(%i, %i, %i) ({
  ^bb0(%k: i32):
    scf.yield
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @while_before(%c: i1) {
  // expected-error @+1 {{expects the 'before' region to terminate with 'scf.condition'}}
  scf.while : () -> () {
    // expected-note @+1 {{terminator here}}
    "test.end"() : () -> ()
  } do {
    scf.yield
  }
  return
}

// -----

func.func @while_after(%c: i1) {
  // expected-error @+1 {{expects the 'after' region to terminate with 'scf.yield'}}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    // expected-note @+1 {{terminator here}}
    "test.end"() : () -> ()
  }
  return
}

// -----

func.func @while_types() {
  // expected-error @+1 {{expected as many input types as operands (expected 0 got 1)}}
  scf.while : (i32) -> () {
  } do {
  }
  return
}

// -----

func.func @while_edge(%c: i1, %x: f32) {
  // expected-error @+1 {{along control flow edge from Operation scf.condition to Region #1: region branch point has 0 operands, but region successor needs 1 inputs}}
  scf.while : () -> () {
    // expected-note @+1 {{region branch point}}
    scf.condition(%c)
  } do {
  ^bb0(%a: f32):
    scf.yield
  }
  return
}

// -----

func.func @while_edge_type(%c: i1, %x: f32) {
  // expected-error @+1 {{along control flow edge from Operation scf.yield to Region #0: successor operand type #0 'i1' should match successor input type #0 'f32'}}
  scf.while (%a = %x) : (f32) -> () {
    scf.condition(%c)
  } do {
    // expected-note @+1 {{region branch point}}
    scf.yield %c : i1
  }
  return
}

// -----

func.func @parallel_operands(%i: index) {
  // expected-error @+1 {{custom op 'scf.parallel' expected 1 operands}}
  scf.parallel (%k) = (%i, %i) to (%i) step (%i) {
  }
  return
}

// -----

func.func @parallel_inits(%i: index) {
  // expected-error @+1 {{'scf.parallel' number of operands and types do not match: got 0 operands and 1 types}}
  %r = scf.parallel (%k) = (%i) to (%i) step (%i) -> f32 {
  }
  return
}

// -----

func.func @parallel_nothing() {
  // expected-error @+1 {{'scf.parallel' op needs at least one tuple element for lowerBound, upperBound and step}}
  "scf.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
    scf.reduce
  }) : () -> ()
  return
}

// -----

func.func @parallel_step(%i: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{constant step operand must be positive}}
  scf.parallel (%k) = (%i) to (%i) step (%c0) {
  }
  return
}

// -----

func.func @parallel_ivs(%i: index) {
  // expected-error @+1 {{expects the same number of induction variables: 2 as bound and step values: 1}}
  "scf.parallel"(%i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%a: index, %b: index):
    scf.reduce
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @parallel_iv_type(%i: index) {
  // expected-error @+1 {{expects arguments for the induction variable to be of index type}}
  "scf.parallel"(%i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%a: f32):
    scf.reduce
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @parallel_end(%i: index) {
  // expected-error @+1 {{expects body to terminate with 'scf.reduce'}}
  "scf.parallel"(%i, %i, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%a: index):
    // expected-note @+1 {{terminator here}}
    "test.end"() : () -> ()
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @parallel_results(%i: index, %x: f32) {
  // expected-error @+1 {{expects number of results: 1 to be the same as number of reductions: 0}}
  %r = scf.parallel (%k) = (%i) to (%i) step (%i) init (%x) -> f32 {
  }
  return
}

// -----

func.func @reduction_type(%i: index, %x: f32) {
  %r = scf.parallel (%k) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error @+1 {{expects type of 0-th reduction operand: 'index' to be the same as the 0-th result type: 'f32'}}
    scf.reduce(%k : index) {
    ^bb0(%a: index, %b: index):
      scf.reduce.return %a : index
    }
  }
  return
}

// -----

func.func @reduction_count(%i: index, %x: f32) {
  scf.parallel (%k) = (%i) to (%i) step (%i) {
    // expected-error @+1 {{expects number of reduction regions: 0 to be the same as number of reduction operands: 1}}
    scf.reduce(%x : f32)
  }
  return
}

// -----

func.func @reduction_args(%i: index, %x: f32) {
  %r = scf.parallel (%k) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error @+1 {{expected two block arguments with type 'f32' in the 0-th reduction region}}
    scf.reduce(%x : f32) {
    ^bb0(%a: f32):
      scf.reduce.return %a : f32
    }
  }
  return
}

// -----

func.func @reduction_end(%i: index, %x: f32) {
  %r = scf.parallel (%k) = (%i) to (%i) step (%i) init (%x) -> f32 {
    // expected-error @+1 {{reduction bodies must be terminated with an 'scf.reduce.return' op}}
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      "test.end"() : () -> ()
    }
  }
  return
}

// -----

func.func @reduction_return(%i: index, %x: f32, %y: i32) {
  %r = scf.parallel (%k) = (%i) to (%i) step (%i) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      // expected-error @+1 {{must have type 'f32' (the type of the reduction inputs)}}
      scf.reduce.return %y : i32
    }
  }
  return
}

// -----

func.func @if_else(%c: i1, %x: f32) {
  // expected-error @+1 {{must have an else block if defining values}}
  %r = scf.if %c -> f32 {
    scf.yield %x : f32
  }
  return
}

// -----

func.func @if_yields(%c: i1, %x: f32) {
  // expected-error @+1 {{along control flow edge from Operation scf.yield to parent: region branch point has 0 operands, but region successor needs 1 inputs}}
  %r = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    // expected-note @+1 {{region branch point}}
    scf.yield
  }
  return
}

// -----

func.func @switch_count(%i: index) {
  // expected-error @+1 {{'scf.index_switch' op has 0 case regions but 1 case values}}
  "scf.index_switch"(%i) <{cases = array<i64: 1>}> ({
    scf.yield
  }) : (index) -> ()
  return
}

// -----

func.func @switch_twice(%i: index) {
  // expected-error @+1 {{'scf.index_switch' op has duplicate case value: 0}}
  scf.index_switch %i
  case 0 {
    scf.yield
  }
  case 0 {
    scf.yield
  }
  default {
  }
  return
}

// -----

func.func @switch_yields(%i: index, %x: f32) {
  // expected-error @+1 {{expected each region to return 0 values, but default region returns 1}}
  scf.index_switch %i
  default {
    // expected-note @+1 {{see yield operation here}}
    scf.yield %x : f32
  }
  return
}

// -----

func.func @switch_types(%i: index, %x: f32) {
  // expected-error @+1 {{expected result #0 of each region to be 'index'}}
  %r = scf.index_switch %i -> index
  case 0 {
    // expected-note @+1 {{case region #0 returns 'f32' here}}
    scf.yield %x : f32
  }
  default {
    scf.yield %i : index
  }
  return
}

// -----

func.func @execute_args() {
  // expected-error @+1 {{region cannot have any arguments}}
  "scf.execute_region"() ({
  ^bb0(%a: i32):
    scf.yield
  }) : () -> ()
  return
}

// -----

func.func @execute_empty() {
  // expected-error @+1 {{region needs to have at least one block}}
  "scf.execute_region"() ({
  }) : () -> ()
  return
}

// -----

func.func @forall_mapping(%n: index) {
  // expected-error @+1 {{mapping attribute size must match op rank}}
  scf.forall (%i, %j) in (%n, %n) {
  } {mapping = [#gpu.thread<x>]}
  return
}

// -----

func.func @in_parallel(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error @+1 {{expected only ParallelCombiningOpInterface ops}}
    scf.forall.in_parallel {
      "test.op"() : () -> ()
    }
  }
  return
}

// -----

func.func @alone(%x: f32) {
  "test.region"() ({
    // expected-error @+1 {{'scf.yield' op expects parent op to be one of 'scf.execute_region, scf.for, scf.if, scf.index_switch, scf.while'}}
    scf.yield %x : f32
  }) : () -> ()
  return
}
