// RUN: terrace-opt %s -auto-schedule -o %t 2>&1 | FileCheck %s

// A dependence between the two stores in the loop over %l has thousands of corners. The
// search is given up after some steps, not after a day.
// CHECK: remark: left in its order: {{.*(too many corners|within the budget)}}
#from = affine_map<(d0) -> (d0)>
#until = affine_map<(d0)[s0] -> (d0 + 6, s0 * -2 + 4)>
func.func @tiled(%n: index, %m: index, %x: f64, %a: memref<?xf64>, %b: memref<f64>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<?xf64>
  affine.for %i = affine_map<()[s0] -> (s0 - 5)>()[%d] to affine_map<()[s0] -> (s0 * -2 + 4)>()[%n] step 6 {
    affine.for %ii = #from(%i) to min #until(%i)[%n] step 3 {
      affine.if affine_set<(d0)[s0] : (-d0 - s0 * 2 + 1 >= 0)>(%ii)[%n] {
        affine.for %j = #from(%ii) to affine_map<(d0) -> (d0 + 3)>(%ii) {
          affine.for %k = -1 to affine_map<()[s0] -> (s0 + 3)>()[%n] {
            affine.if affine_set<(d0)[s0] : (d0 + s0 - 7 == 0)>(%k)[%m] {
              affine.for %l = affine_map<()[s0] -> (s0 * 2 - 12)>()[%d] to 2 {
                %v = affine.load %b[] : memref<f64>
                affine.for %o = 1 to affine_map<(d0) -> (d0 + 4)>(%j) step 2 {
                  affine.if affine_set<(d0)[s0, s1] : (d0 + s0 + s1 - 10 >= 0)>(%o)[%m, %n] {
                    affine.store %v, %a[%k + 1] : memref<?xf64>
                  }
                }
                affine.store %v, %a[(%k * -2 - 1) mod 7] : memref<?xf64>
              }
              affine.store %x, %b[] : memref<f64>
            } else {
              affine.store %x, %a[%k + 1] : memref<?xf64>
            }
            affine.store %x, %b[] : memref<f64>
          }
        }
      }
    }
  }
  return
}
