// How the result is printed.
//
// RUN: terrace-opt %s -mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: terrace-opt %s -mlir-print-op-generic | terrace-opt | FileCheck %s
// RUN: terrace-opt %s -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOCATIONS
// RUN: terrace-opt %s -mlir-print-debuginfo | terrace-opt -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOCATIONS
// RUN: terrace-opt %s -mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// RUN: terrace-opt %s -mlir-print-skip-regions | FileCheck %s --check-prefix=SKIP
// RUN: terrace-opt %s -mlir-elide-elementsattrs-if-larger=2 | FileCheck %s --check-prefix=ELIDE
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

// CHECK: #[[MAP:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK: func.func @f(%arg0: index) -> index
// CHECK: affine.apply #[[MAP]](%arg0)

// GENERIC: "builtin.module"() ({
// GENERIC-NEXT: "func.func"() <{function_type = (index) -> index, sym_name = "f"}> ({
// GENERIC-NEXT: ^bb0(%arg0: index):
// GENERIC: "func.return"(%{{.*}}) : (index) -> ()

// LOCATIONS: func.func @f(%arg0: index loc("input.c":1:1)) -> index
// LOCATIONS: affine.apply affine_map<(d0) -> (d0 + 1)>(%arg0) loc("input.c":7:9)
// LOCATIONS: arith.constant {{.*}} loc(fused["a", "b"])
// LOCATIONS: return {{.*}} loc(unknown)

// LOCAL-NOT: #map =
// LOCAL: affine.apply affine_map<(d0) -> (d0 + 1)>(%arg0)

// SKIP: {{^}}module {...}

// ELIDE: arith.constant dense_resource<__elided__> : tensor<4xi32>

func.func @f(%a: index loc("input.c":1:1)) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%a) loc("input.c":7:9)
  %1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%0)
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32> loc(fused["a", "b"])
  return %1 : index loc(unknown)
}
