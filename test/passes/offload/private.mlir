// RUN: terrace-opt %s -offload-parallelize=notes -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.out

// Each iteration writes the array before it reads it: each gets its own.
// NOTE: remark: the loop over i is parallel; each iteration has its own t
// NOTE: remark: the loop over i runs in order: all iterations use the same t; each could have its own, but 80000 bytes for every iteration are too many (at most 16384)
// NOTE: remark: the loop over i runs in order: all iterations use the same t; each could have its own, but its values may be used after the loop; declare t inside the loop, or private
// NOTE: remark: the loop over i runs in order: all iterations use the same t; each could have its own, but its values may be used after the loop; declare t inside the loop, or private
// NOTE: remark: the loop over i runs in order: all iterations use the same t; each could have its own, but its size is not constant
// NOTE: note: t is written
// NOTE: note: t is written again, 1 iteration later
// NOTE: remark: the loop over i runs in order: all iterations use the same t; each could have its own, but only an array of the loop's own can be given to each iteration
// NOTE: remark: the loop over i runs in order: all iterations use the same t; each could have its own, but it is used through another view of it

// CHECK-LABEL: @own
// CHECK-NOT: memref.alloca
// CHECK: affine.parallel
// CHECK-NEXT: memref.alloca() : memref<8xf64>
func.func @own(%n: index, %a: memref<?x8xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<8xf64> loc("t")
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%i, %j] : memref<?x8xf64>
      affine.store %x, %t[%j] : memref<8xf64>
    }
    affine.for %j = 0 to 8 {
      %x = affine.load %t[7 - %j] : memref<8xf64>
      affine.store %x, %a[%i, %j] : memref<?x8xf64>
    }
  }
  return
}

func.func @large(%n: index, %a: memref<?xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<10000xf64> loc("t")
  affine.for %i = 0 to %n {
    affine.store %v, %t[0] : memref<10000xf64>
    %x = affine.load %t[0] : memref<10000xf64>
    affine.store %x, %a[%i] : memref<?xf64>
  }
  return
}

func.func @used_after(%n: index, %a: memref<?xf64>, %v: f64) -> f64 attributes {acc.region = {}} {
  %t = memref.alloca() : memref<1xf64> loc("t")
  affine.for %i = 0 to %n {
    affine.store %v, %t[0] : memref<1xf64>
    %x = affine.load %t[0] : memref<1xf64>
    affine.store %x, %a[%i] : memref<?xf64>
  }
  %y = affine.load %t[0] : memref<1xf64>
  return %y : f64
}

func.func @argument(%n: index, %a: memref<?xf64>, %t: memref<1xf64> {acc.name = "t"}, %v: f64) attributes {acc.region = {}} {
  affine.for %i = 0 to %n {
    affine.store %v, %t[0] : memref<1xf64>
    %x = affine.load %t[0] : memref<1xf64>
    affine.store %x, %a[%i] : memref<?xf64>
  }
  return
}

func.func @dynamic(%n: index, %a: memref<?xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca(%n) : memref<?xf64> loc("t")
  affine.for %i = 0 to %n {
    affine.store %v, %t[0] : memref<?xf64>
    %x = affine.load %t[0] : memref<?xf64>
    affine.store %x, %a[%i] : memref<?xf64>
  }
  return
}

func.func @allocated(%n: index, %a: memref<?xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloc() : memref<4xf64> loc("t")
  affine.for %i = 0 to %n {
    affine.store %v, %t[0] : memref<4xf64>
    %x = affine.load %t[0] : memref<4xf64>
    affine.store %x, %a[%i] : memref<?xf64>
  }
  memref.dealloc %t : memref<4xf64>
  return
}

func.func @viewed(%n: index, %a: memref<?xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<4xf64> loc("t")
  %u = memref.cast %t : memref<4xf64> to memref<?xf64>
  affine.for %i = 0 to %n {
    affine.store %v, %u[0] : memref<?xf64>
    %x = affine.load %u[0] : memref<?xf64>
    affine.store %x, %a[%i] : memref<?xf64>
  }
  return
}

// Two loops inside one another that both use the array so: the inner one's iterations
// have their own.
// CHECK-LABEL: @nested
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: memref.alloca
// CHECK-NOT: memref.alloca
func.func @nested(%n: index, %a: memref<?x?xf64>, %v: f64) attributes {acc.region = {}} {
  %t = memref.alloca() : memref<1xf64> loc("t")
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %v, %t[0] : memref<1xf64>
      %x = affine.load %t[0] : memref<1xf64>
      affine.store %x, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
