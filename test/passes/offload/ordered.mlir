// RUN: terrace-opt %s -offload-parallelize=notes -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.out

// `acc.ordered`: a directive counts on copies of c that are not made, so that its word
// that iterations are independent does not hold of c's elements. Said once an array.
// NOTE: warning: the loop stays sequential although a directive says that its iterations are independent: {{.*}}c[0]
// NOTE-NOT: warning: the loop stays sequential
// NOTE: remark: the loop over j is parallel

// CHECK-LABEL: @last
// CHECK: affine.for
// CHECK: affine.parallel
func.func @last(%n: index, %a: memref<?xi8> {acc.name = "a"}, %c: memref<?xi8> {acc.name = "c", acc.ordered}, %d: memref<?xi8> {acc.name = "d"}) attributes {acc.region = {construct = "parallel", noalias}} {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi8>
    %0 = affine.load %c[0] : memref<?xi8>
    %1 = arith.divui %0, %x : i8
    affine.store %1, %c[0] : memref<?xi8>
  } {acc.loop = {independent}}
  affine.for %j = 0 to %n {
    %x = affine.load %c[0] : memref<?xi8>
    affine.store %x, %d[%j] : memref<?xi8>
  } {acc.loop = {independent}}
  return
}
