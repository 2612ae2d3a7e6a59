// RUN: terrace-opt %s --affine-print-dependences=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: terrace-opt %s --affine-print-dependences=format=json -o /dev/null 2>&1 | python3 -m json.tool | FileCheck %s --check-prefix=TOOL
// RUN: terrace-opt %s --affine-print-dependences=format=dot -o /dev/null 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: terrace-opt %s --affine-print-dependences=format=systems -o /dev/null 2>&1 | FileCheck %s --check-prefix=SYSTEMS

// JSON: {"function": "f",
// JSON: {"op": "affine.load", "array": "a", "writes": false, "line": 25, "column": 10},
// JSON: {"op": "affine.store", "array": "a", "writes": true, "line": 26, "column": 5}],
// JSON: {"kind": "flow", "array": "a", "from": 1, "to": 0, "level": 1, "carried_by": "loop 'i' at line 24", "distance": [[2, 2]], "reduction": null, "exact": true, "reason": null, "relation": "{ [i0] -> [o0] :

// TOOL: "function": "f"

// DOT: digraph "@f" {
// DOT: a0 [label="load a\n25:10"];
// DOT: a1 [label="store a\n26:5"];
// DOT: a1 -> a0 [label="flow\n(2) loop 'i' at line 24", color=black, style=solid];
// DOT: }

// Two orders of the pair, and the store with itself: what is carried, and within an
// iteration.
// SYSTEMS-COUNT-4: { [i0] -> [o0] :
// SYSTEMS-NOT: {
func.func @f(%a: memref<64xf32>) {
  affine.for %i = 2 to 64 {
    %0 = affine.load %a[%i - 2] : memref<64xf32>
    affine.store %0, %a[%i] : memref<64xf32>
  }
  return
}
