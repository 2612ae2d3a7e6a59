// Each step alone, by what is left to compute, and all of them off.
// RUN: terrace-opt %s -arith-restructure="signs=false flatten=false factor=false levels=false subsets=false common=false balance=false" | FileCheck %s --check-prefix=OFF
// RUN: terrace-opt %s -arith-restructure="signs=false factor=false levels=false subsets=false common=false balance=false" | FileCheck %s --check-prefix=FLAT
// RUN: terrace-opt %s -arith-restructure="signs=false levels=false subsets=false common=false balance=false" | FileCheck %s --check-prefix=FACTOR
// RUN: terrace-opt %s -arith-restructure="signs=false factor=false subsets=false common=false balance=false" | FileCheck %s --check-prefix=LEVELS
// RUN: terrace-opt %s -arith-restructure="signs=false factor=false levels=false common=false balance=false" | FileCheck %s --check-prefix=SUBSETS
// RUN: terrace-opt %s -arith-restructure="signs=false flatten=false factor=false levels=false subsets=false balance=false" | FileCheck %s --check-prefix=COMMON
// RUN: terrace-opt %s -arith-restructure="signs=false factor=false levels=false subsets=false common=false" | FileCheck %s --check-prefix=BALANCE
// RUN: terrace-opt %s -arith-restructure | FileCheck %s --check-prefix=ALL

// x*a + x*b + x*c: five operations, and three with the factor taken out.
// OFF-LABEL: func.func @factor
// OFF-COUNT-3: arith.mulf
// OFF-COUNT-2: arith.addf
// FLAT-LABEL: func.func @factor
// FLAT-COUNT-3: arith.mulf
// FACTOR-LABEL: func.func @factor
// FACTOR-COUNT-2: arith.addf
// FACTOR: arith.mulf
// FACTOR-NOT: arith.mulf
// FACTOR: return
func.func @factor(%x: f32, %a: f32, %b: f32, %c: f32) -> f32 {
  %0 = arith.mulf %x, %a fastmath<fast> : f32
  %1 = arith.mulf %b, %x fastmath<fast> : f32
  %2 = arith.mulf %x, %c fastmath<fast> : f32
  %3 = arith.addf %0, %1 fastmath<fast> : f32
  %4 = arith.addf %3, %2 fastmath<fast> : f32
  return %4 : f32
}

// What cancels needs nnan, ninf and nsz.
// FACTOR-LABEL: func.func @cancel
// FACTOR-NEXT: return %arg0
// FACTOR-LABEL: func.func @cancel_kept
// FACTOR: arith.subf
// FACTOR: arith.addf
// FACTOR: return
func.func @cancel(%x: f32, %a: f32) -> f32 {
  %0 = arith.addf %x, %a fastmath<fast> : f32
  %1 = arith.subf %0, %a fastmath<fast> : f32
  return %1 : f32
}
func.func @cancel_kept(%x: f32, %a: f32) -> f32 {
  %0 = arith.addf %x, %a fastmath<reassoc,nsz> : f32
  %1 = arith.subf %0, %a fastmath<reassoc,nsz> : f32
  return %1 : f32
}

// a*b/(b*c) is a/c.
// FACTOR-LABEL: func.func @quotient
// FACTOR-NOT: arith.mulf
// FACTOR: arith.divf %arg0, %arg2
// FACTOR-NEXT: return
func.func @quotient(%a: f32, %b: f32, %c: f32) -> f32 {
  %0 = arith.mulf %a, %b fastmath<fast> : f32
  %1 = arith.mulf %b, %c fastmath<fast> : f32
  %2 = arith.divf %0, %1 fastmath<fast> : f32
  return %2 : f32
}

// Ops without the flag stay as they are: `_grp`, and all of C without options.
// ALL-LABEL: func.func @grouped
// ALL: %[[G:.*]] = arith.addf %arg0, %arg1 : f32
// ALL-NEXT: arith.subf %[[G]], %arg0
// ALL-NEXT: return
func.func @grouped(%x: f32, %a: f32) -> f32 {
  %0 = arith.addf %x, %a : f32
  %1 = arith.subf %0, %x fastmath<fast> : f32
  return %1 : f32
}

// ((v + a) + b): a + b moves out of the loop; without the step both additions stay in.
// OFF-LABEL: func.func @levels
// OFF: affine.for
// OFF-COUNT-2: arith.addf
// LEVELS-LABEL: func.func @levels
// LEVELS: arith.addf %arg1, %arg2
// LEVELS: affine.for
// LEVELS: affine.load
// LEVELS-NEXT: arith.addf
// LEVELS-NEXT: affine.store
func.func @levels(%m: memref<8xf32>, %a: f32, %b: f32) {
  affine.for %i = 0 to 8 {
    %v = affine.load %m[%i] : memref<8xf32>
    %0 = arith.addf %v, %a fastmath<fast> : f32
    %1 = arith.addf %0, %b fastmath<fast> : f32
    affine.store %1, %m[%i] : memref<8xf32>
  }
  return
}

// a + b + c + d and e + c + a + b have three terms in common: four additions for six.
// FLAT-LABEL: func.func @subsets
// FLAT-COUNT-6: arith.addf
// FLAT: return
// SUBSETS-LABEL: func.func @subsets
// SUBSETS-COUNT-4: arith.addf
// SUBSETS-NOT: arith.addf
// SUBSETS: return
func.func @subsets(%a: f32, %b: f32, %c: f32, %d: f32, %e: f32) -> (f32, f32) {
  %0 = arith.addf %a, %b fastmath<fast> : f32
  %1 = arith.addf %0, %c fastmath<fast> : f32
  %2 = arith.addf %1, %d fastmath<fast> : f32
  %3 = arith.addf %e, %c fastmath<fast> : f32
  %4 = arith.addf %3, %a fastmath<fast> : f32
  %5 = arith.addf %4, %b fastmath<fast> : f32
  return %2, %5 : f32, f32
}

// Of products, too; and a sum serves its negative.
// SUBSETS-LABEL: func.func @subsets_of_products
// SUBSETS-COUNT-3: arith.mulf
// SUBSETS-NOT: arith.mulf
// SUBSETS: return
func.func @subsets_of_products(%a: f32, %b: f32, %c: f32, %d: f32) -> (f32, f32) {
  %0 = arith.mulf %a, %b fastmath<fast> : f32
  %1 = arith.mulf %0, %c fastmath<fast> : f32
  %2 = arith.mulf %b, %d fastmath<fast> : f32
  %3 = arith.mulf %2, %a fastmath<fast> : f32
  return %1, %3 : f32, f32
}

// COMMON-LABEL: func.func @common
// COMMON: arith.mulf %arg1, %arg1
// COMMON: affine.for
// COMMON-NOT: arith.mulf
// COMMON: return
func.func @common(%m: memref<8xf32>, %a: f32) {
  affine.for %i = 0 to 8 {
    %0 = arith.mulf %a, %a : f32
    %1 = arith.mulf %a, %a : f32
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %m[%i] : memref<8xf32>
  }
  return
}

// a/b/c/d: one division. Eight terms: three levels.
// FLAT-LABEL: func.func @balance
// FLAT-COUNT-3: arith.divf
// BALANCE-LABEL: func.func @balance
// BALANCE-COUNT-2: arith.mulf
// BALANCE-NEXT: arith.divf
// BALANCE-NEXT: return
func.func @balance(%a: f32, %b: f32, %c: f32, %d: f32) -> f32 {
  %0 = arith.divf %a, %b fastmath<fast> : f32
  %1 = arith.divf %0, %c fastmath<fast> : f32
  %2 = arith.divf %1, %d fastmath<fast> : f32
  return %2 : f32
}

// Two quotients by one number need one division.
// BALANCE-LABEL: func.func @divisor
// BALANCE: arith.divf
// BALANCE-NOT: arith.divf
// BALANCE: return
func.func @divisor(%a: f32, %b: f32, %d: f32) -> (f32, f32) {
  %0 = arith.divf %a, %d fastmath<fast> : f32
  %1 = arith.divf %b, %d fastmath<fast> : f32
  return %0, %1 : f32, f32
}

// The height of a sum of four terms is two.
// BALANCE-LABEL: func.func @height
// BALANCE-NEXT: %[[X:.*]] = arith.addf %arg0, %arg1
// BALANCE-NEXT: %[[Y:.*]] = arith.addf %arg2, %arg3
// BALANCE-NEXT: arith.addf %[[X]], %[[Y]]
func.func @height(%a: f32, %b: f32, %c: f32, %d: f32) -> f32 {
  %0 = arith.addf %a, %b fastmath<fast> : f32
  %1 = arith.addf %0, %c fastmath<fast> : f32
  %2 = arith.addf %1, %d fastmath<fast> : f32
  return %2 : f32
}

// What a loop hands on joins last, so that one addition waits for the iteration before.
// ALL-LABEL: func.func @carried
// ALL: %[[S:.*]] = arith.addf
// ALL-NEXT: arith.addf %{{.*}}, %[[S]]
// ALL-NEXT: affine.yield
func.func @carried(%m: memref<8x2xf32>, %z: f32) -> f32 {
  %r = affine.for %i = 0 to 8 iter_args(%s = %z) -> f32 {
    %0 = affine.load %m[%i, 0] : memref<8x2xf32>
    %1 = affine.load %m[%i, 1] : memref<8x2xf32>
    %2 = arith.addf %s, %0 fastmath<fast> : f32
    %3 = arith.addf %2, %1 fastmath<fast> : f32
    affine.yield %3 : f32
  }
  return %r : f32
}

// What cancels to a number is one in the chains around, whoever else uses it.
// FACTOR-LABEL: func.func @number
// FACTOR-NEXT: %[[SUM:.*]] = arith.addf %arg1, %arg2
// FACTOR-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// FACTOR-NEXT: return %[[ZERO]], %[[SUM]]
func.func @number(%x: f32, %y: f32, %z: f32) -> (f32, f32) {
  %0 = arith.subf %x, %x fastmath<fast> : f32
  %1 = arith.addf %y, %z fastmath<fast> : f32
  %2 = arith.divf %0, %1 fastmath<fast> : f32
  %3 = arith.addf %2, %1 fastmath<fast> : f32
  %4 = arith.mulf %0, %y fastmath<fast> : f32
  return %4, %3 : f32, f32
}

// No sign is left over: the difference is turned around. It stays where something else needs the
// difference, and where the sign of nought counts.
// FACTOR-LABEL: func.func @turned
// FACTOR: arith.subf %arg2, %arg1
// FACTOR-NEXT: arith.mulf
// FACTOR-NEXT: return
// FACTOR-LABEL: func.func @needed
// FACTOR: arith.negf
// FACTOR-LABEL: func.func @signed
// FACTOR: arith.negf
func.func @turned(%x: f32, %y: f32, %z: f32) -> f32 {
  %0 = arith.subf %y, %z fastmath<fast> : f32
  %1 = arith.mulf %x, %0 fastmath<fast> : f32
  %2 = arith.negf %1 fastmath<fast> : f32
  return %2 : f32
}
func.func @needed(%x: f32, %y: f32, %z: f32) -> (f32, f32) {
  %0 = arith.subf %y, %z fastmath<fast> : f32
  %1 = arith.mulf %x, %0 fastmath<fast> : f32
  %2 = arith.negf %1 fastmath<fast> : f32
  return %2, %0 : f32, f32
}
func.func @signed(%x: f32, %y: f32, %z: f32) -> f32 {
  %0 = arith.subf %y, %z fastmath<reassoc> : f32
  %1 = arith.mulf %x, %0 fastmath<reassoc> : f32
  %2 = arith.negf %1 fastmath<reassoc> : f32
  return %2 : f32
}
