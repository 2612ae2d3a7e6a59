// RUN: terrace compile --emit ptx %s | FileCheck %s --check-prefix=EXACT
// RUN: terrace compile --emit ptx --fp-contract=fast %s | FileCheck %s --check-prefix=FAST
// RUN: terrace compile --emit ptx --fp-contract=off %s | FileCheck %s --check-prefix=OFF
// RUN: terrace compile --emit ptx --use-fast-math %s | FileCheck %s --check-prefix=MATH
// RUN: terrace compile --emit ptx --prec-div=false --prec-sqrt=false %s | FileCheck %s --check-prefix=PARTS
// RUN: terrace compile --emit ptx --use-fast-math --ftz=false --prec-div=true %s | FileCheck %s --check-prefix=LAST
// RUN: not terrace compile --emit ptx --fp-contract=always %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: terrace run %s --target emulator --verify --use-fast-math --arg 0=random:256 --arg 1=random:256 | FileCheck %s --check-prefix=RESULT

// BAD: found `always`, expected off, on or fast
// RESULT: verify   passed

// By default a product and a sum are one where both say that they may be.
// EXACT-LABEL: .entry
// EXACT: mul.rn.f32
// EXACT: add.rn.f32
// EXACT: fma.rn.f32
// EXACT: div.rn.f32
// EXACT: sqrt.rn.f32

// FAST-LABEL: .entry
// FAST-NOT: mul.rn.f32
// FAST: fma.rn.f32
// FAST: fma.rn.f32
// FAST: div.rn.f32

// OFF-LABEL: .entry
// OFF-NOT: fma
// OFF: div.rn.f32

// MATH-LABEL: .entry
// MATH: fma.rn.ftz.f32
// MATH: fma.rn.ftz.f32
// MATH: div.approx.ftz.f32
// MATH: sqrt.approx.ftz.f32
// MATH: ex2.approx.ftz.f32

// PARTS-LABEL: .entry
// PARTS: div.full.f32
// PARTS: sqrt.approx.f32

// LAST-LABEL: .entry
// LAST-NOT: ftz
// LAST: div.rn.f32
// LAST: ex2.approx.f32
func.func @f(%a: memref<256xf32>, %b: memref<256xf32>) {
  affine.parallel (%i) = (0) to (256) {
    %x = affine.load %a[%i] : memref<256xf32>
    %y = affine.load %b[%i] : memref<256xf32>
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %x : f32
    %r = arith.mulf %q, %y fastmath<contract> : f32
    %s = arith.addf %r, %x fastmath<contract> : f32
    %c1 = arith.constant 1.5 : f32
    %t = arith.addf %y, %c1 : f32
    %d = arith.divf %s, %t : f32
    %m = math.absf %d : f32
    %w = math.sqrt %m : f32
    %e = math.exp %w : f32
    affine.store %e, %a[%i] : memref<256xf32>
  }
  return
}
