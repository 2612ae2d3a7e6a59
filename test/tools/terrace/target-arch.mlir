// The architecture by either name of the option; a wrong one gets the list.
//
// RUN: terrace compile %s --emit ptx --target-arch sm_70 | FileCheck %s --check-prefix=SM70
// RUN: terrace compile %s --emit ptx --target-arch=sm_120 | FileCheck %s --check-prefix=SM120
// RUN: terrace compile %s --emit ptx --arch sm_80 | FileCheck %s --check-prefix=SM80
// RUN: terrace run %s --emit ptx --target-arch sm_80 | FileCheck %s --check-prefix=SM80
// RUN: not terrace compile %s --emit ptx --target-arch sm_61 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not terrace run %s --emit ptx --target-arch volta 2>&1 | FileCheck %s --check-prefix=VOLTA

// SM70: .target sm_70
// SM80: .target sm_80
// SM120: .target sm_120
// WRONG: unknown architecture 'sm_61'; known are sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120
// VOLTA: unknown architecture 'volta'; known are sm_70,

func.func @scale(%a: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %a[%i] : memref<?xf32>
  }
  return
}
