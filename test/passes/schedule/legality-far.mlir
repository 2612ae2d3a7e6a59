// RUN: terrace-opt %s --apply-schedule | FileCheck %s

// What stands behind a bound is compared before and after a step only so far back: more ops
// than that are no mistake.

// CHECK-LABEL: func.func @far
// CHECK: affine.load %{{.*}}[-%{{.*}} +
schedule.sequence @s {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %r = schedule.reverse %j
}
func.func @far(%A: memref<100xf32>, %B: memref<100xf32>) {
  affine.for %i = 0 to 8 {
    %c0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %c1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c0)
    %c2 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c1)
    %c3 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c2)
    %c4 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c3)
    %c5 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c4)
    %c6 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c5)
    %c7 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c6)
    %c8 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c7)
    %c9 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c8)
    %c10 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c9)
    %c11 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c10)
    %c12 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c11)
    %c13 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c12)
    %c14 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c13)
    %c15 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c14)
    %c16 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c15)
    %c17 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c16)
    %c18 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c17)
    %c19 = affine.apply affine_map<(d0) -> (d0 + 1)>(%c18)
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%c19) {
      %a = affine.load %A[%j] : memref<100xf32>
      affine.store %a, %B[%j] : memref<100xf32>
    }
  }
  return
}
