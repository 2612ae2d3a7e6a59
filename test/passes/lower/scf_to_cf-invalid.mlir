// RUN: terrace-opt %s --convert-scf-to-cf --verify-diagnostics

func.func @shared_outputs(%n: index, %t: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'scf.forall' op with shared outputs cannot be lowered to branches; bufferize it first}}
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
    }
  }
  return %r : tensor<8xf32>
}
