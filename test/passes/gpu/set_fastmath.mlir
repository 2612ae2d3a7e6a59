// RUN: terrace-opt %s --arith-set-fastmath | FileCheck %s --check-prefix=NONE
// RUN: terrace-opt %s --arith-set-fastmath=contract=true | FileCheck %s --check-prefix=CONTRACT
// RUN: terrace-opt %s --pass-pipeline='builtin.module(arith-set-fastmath{functions=true division=true sqrt=true})' | FileCheck %s --check-prefix=APPROX

// NONE-LABEL: func @f
// NONE-NOT: contract
// NONE-NOT: arcp
// CONTRACT-LABEL: func @f
// APPROX-LABEL: func @f
func.func @f(%a: f32, %b: f32) -> f32 {
  // Flags that an operation has stay.
  // CONTRACT: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan,contract>
  // APPROX: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan> :
  %0 = arith.mulf %a, %b fastmath<nnan> : f32
  // CONTRACT: arith.addf %{{.*}}, %{{.*}} fastmath<contract>
  // APPROX: arith.addf %{{.*}}, %{{.*}} : f32
  %1 = arith.addf %0, %b : f32
  // CONTRACT: arith.divf %{{.*}}, %{{.*}} : f32
  // APPROX: arith.divf %{{.*}}, %{{.*}} fastmath<arcp,afn>
  %2 = arith.divf %1, %b : f32
  // CONTRACT: math.exp %{{.*}} : f32
  // APPROX: math.exp %{{.*}} fastmath<afn>
  %3 = math.exp %2 : f32
  // APPROX: math.sqrt %{{.*}} fastmath<afn>
  %4 = math.sqrt %3 : f32
  // What has no flags gets none.
  // APPROX: arith.maximumf %{{.*}}, %{{.*}} : f32
  %5 = arith.maximumf %4, %a : f32
  return %5 : f32
}
