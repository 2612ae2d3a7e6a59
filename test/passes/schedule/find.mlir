// RUN: terrace-opt %s --allow-unregistered-dialect --apply-schedule=check=false | FileCheck %s

// By name, by line, by label and by place, in the function and in a loop.

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %in_i = schedule.find_loop in %i {nest = [1]} : !schedule.loop
  %n = schedule.normalize %in_i
  %second = schedule.find_loop {line = 39 : i64} : !schedule.loop
  %m = schedule.normalize %second
  %third = schedule.find_loop {label = "third"} : !schedule.loop
  %o = schedule.normalize %third
  %fourth = schedule.find_loop {iv = "called_otherwise"} : !schedule.loop
  %p = schedule.normalize %fourth
  %fifth = schedule.find_loop {nest = [2, 1]} : !schedule.loop
  %q = schedule.normalize %fifth
}

// CHECK: func.func @f
// CHECK: affine.for {{.*}} = 1 to 5 {
// CHECK: affine.for {{.*}} = 2 to 6 {
// CHECK: affine.for {{.*}} = 0 to 4 {
// CHECK: affine.for {{.*}} = 0 to 5 {
// CHECK: affine.for {{.*}} = 0 to 6 {
// CHECK: affine.for {{.*}} = 0 to 7 {
// CHECK: affine.if
// CHECK: affine.for {{.*}} = 9 to 10 {
// CHECK: affine.for {{.*}} = 0 to 8 {
func.func @f(%n: index) {
  affine.for %i = 1 to 5 {
    affine.for %j = 2 to 6 {
      "test.use"(%j) : (index) -> ()
    }
    affine.for %j = 3 to 7 {
      "test.use"(%j) : (index) -> ()
    }
  }
  affine.for %i1 = 0 to 1 {
    affine.for %j = 3 to 8 {
      "test.use"(%j) : (index) -> ()
    }
    affine.for %j = 4 to 10 {
      "test.use"(%j) : (index) -> ()
    } {schedule.label = "third"}
  }
  affine.for %i2 = 5 to 12 {
    affine.if affine_set<()[s0] : (s0 >= 0)>()[%n] {
      affine.for %j = 9 to 10 {
        "test.use"(%j) : (index) -> ()
      }
    }
    affine.for %j = 7 to 15 {
      "test.use"(%j) : (index) -> ()
    }
  } {schedule.iv = "called_otherwise"}
  return
}
