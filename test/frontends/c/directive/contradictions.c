// Directives that contradict themselves: the error, and where the other half stands.
//
// RUN: not terrace compile %s --emit mlir 2>&1 | FileCheck %s

void f(int n, double *a)
{
// CHECK-DAG: contradictions.c:[[@LINE+2]]:31: error: `seq` and `independent` contradict each other
// CHECK-DAG: contradictions.c:[[@LINE+1]]:27: note: `seq` is here
#pragma acc parallel loop seq independent
  for (int i = 0; i < n; i++) a[i] = 1;
// CHECK-DAG: contradictions.c:[[@LINE+2]]:32: error: `gang` stands here twice
// CHECK-DAG: contradictions.c:[[@LINE+1]]:27: note: the first is here
#pragma acc parallel loop gang gang
  for (int i = 0; i < n; i++) a[i] = 1;
// CHECK-DAG: contradictions.c:[[@LINE+1]]:31: error: `(` is not closed before the line ends
#pragma acc parallel loop copy(a[0:n]
  for (int i = 0; i < n; i++) a[i] = 1;
// CHECK-DAG: contradictions.c:[[@LINE+1]]:33: error: `(` is not closed before the line ends
#pragma acc data copy(a[0:n]) if(
  { return; }
// CHECK-DAG: contradictions.c:[[@LINE+1]]:17: error: `(` is not closed before the line ends
#pragma acc wait(
// CHECK-DAG: contradictions.c:[[@LINE+2]]:35: error: `default` stands here twice
// CHECK-DAG: contradictions.c:[[@LINE+1]]:21: note: the first is here
#pragma acc kernels default(none) default(present)
  a[0] = 1;
// CHECK-DAG: contradictions.c:[[@LINE+2]]:29: error: `self` stands here twice
// CHECK-DAG: contradictions.c:[[@LINE+1]]:21: note: the first is here
#pragma acc kernels self(2) self(1)
  a[0] = 1;
// CHECK-DAG: contradictions.c:[[@LINE+1]]:13: error: `acc update` needs one of the clauses `self`, `host` or `device`
#pragma acc update
// CHECK-DAG: contradictions.c:[[@LINE+4]]:48: error: `n` stands in `create` and again in `copyin`
// CHECK-DAG: contradictions.c:[[@LINE+3]]:38: note: it stands here before
// CHECK-DAG: contradictions.c:[[@LINE+2]]:51: error: `a` stands in `copy` and again in `copyin`
// CHECK-DAG: contradictions.c:[[@LINE+1]]:23: note: it stands here before
#pragma acc data copy(a[0:n]) create(n) copyin(n, a[0:n])
  ;
// CHECK-DAG: contradictions.c:[[@LINE+1]]:13: error: `acc enter data` needs one of the clauses `copyin`, `create` or `attach`
#pragma acc enter data
// CHECK-DAG: contradictions.c:[[@LINE+1]]:26: error: `(` is not closed before the line ends
#pragma acc loop collapse(
  for (int i = 0; i < n; i++) a[i] = 1;
// CHECK-DAG: contradictions.c:[[@LINE+2]]:51: warning: `n` stands in `copyin` and again in `copyout`; they count as one
// CHECK-DAG: contradictions.c:[[@LINE+1]]:40: note: it stands here before
#pragma acc data create(a[0:n]) copyin(n) copyout(n)
  ;
// CHECK-DAG: contradictions.c:[[@LINE+1]]:13: warning: `acc data` needs one of the clauses {{.*}}; without one it does nothing
#pragma acc data if(n)
  ;
// CHECK-DAG: contradictions.c:[[@LINE+2]]:32: error: found `)` where the `[` before it is not closed yet
// CHECK-DAG: contradictions.c:[[@LINE+1]]:28: note: this bracket is open
#pragma acc parallel copy(a[0:n)
  a[0] = 1;
}
