// Loops with gangs, workers and vectors in one another, and numbers of them (2.9.2 to 2.9.4).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void order(int n, double *a) {
#pragma acc parallel copy(a[0:n * n])
  {
// CHECK-DAG: levels.c:[[@LINE+1]]:18: note: the `gang` loop around it is here
#pragma acc loop gang
    for (int i = 0; i < n; i++)
// CHECK-DAG: levels.c:[[@LINE+1]]:18: error: a `gang` loop cannot stand in a `gang` loop: from the outside in the order is gang, worker, vector, each once
#pragma acc loop gang
      for (int j = 0; j < n; j++) a[i * n + j] = 0;
// CHECK-DAG: levels.c:[[@LINE+1]]:18: note: the `worker` loop around it is here
#pragma acc loop worker
    for (int i = 0; i < n; i++)
// CHECK-DAG: levels.c:[[@LINE+1]]:18: error: a `gang` loop cannot stand in a `worker` loop: from the outside in the order is gang, worker, vector, each once
#pragma acc loop gang vector
      for (int j = 0; j < n; j++) a[i * n + j] = 0;
// CHECK-DAG: levels.c:[[@LINE+1]]:18: note: the `vector` loop around it is here
#pragma acc loop vector
    for (int i = 0; i < n; i++)
// CHECK-DAG: levels.c:[[@LINE+1]]:18: error: a `worker` loop cannot stand in a `vector` loop: from the outside in the order is gang, worker, vector, each once
#pragma acc loop worker
      for (int j = 0; j < n; j++) a[i * n + j] = 0;
  }
// CHECK-DAG: levels.c:[[@LINE+1]]:31: note: the `worker` loop around it is here
#pragma acc kernels loop gang worker copy(a[0:n * n])
  for (int i = 0; i < n; i++)
// CHECK-DAG: levels.c:[[@LINE+1]]:18: error: a `worker` loop cannot stand in a `worker` loop: from the outside in the order is gang, worker, vector, each once
#pragma acc loop worker vector
    for (int j = 0; j < n; j++) a[i * n + j] = 0;
// A loop between that no directive shares out changes nothing.
// CHECK-DAG: levels.c:[[@LINE+1]]:27: note: the `vector` loop around it is here
#pragma acc parallel loop vector copy(a[0:n * n])
  for (int i = 0; i < n; i++)
#pragma acc loop seq
    for (int k = 0; k < 2; k++)
// CHECK-DAG: levels.c:[[@LINE+1]]:18: error: a `vector` loop cannot stand in a `vector` loop: from the outside in the order is gang, worker, vector, each once
#pragma acc loop vector
      for (int j = 0; j < n; j++) a[i * n + j] = 0;
}

void dimensions(int n, double *a) {
// CHECK-DAG: levels.c:[[@LINE+1]]:27: note: the `gang` loop around it is here
#pragma acc parallel loop gang(dim:1) num_gangs(2, 2) copy(a[0:n * n])
  for (int i = 0; i < n; i++)
// CHECK-DAG: levels.c:[[@LINE+1]]:18: error: a `gang(dim:2)` loop cannot stand in a `gang` loop: from the outside in the order is gang, worker, vector, each once
#pragma acc loop gang(dim:2)
    for (int j = 0; j < n; j++) a[i * n + j] = 0;
// CHECK-DAG: levels.c:[[@LINE+1]]:36: error: gangs have the dimensions 1, 2 and 3, and this is 4
#pragma acc parallel loop gang(dim:4) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: levels.c:[[@LINE+1]]:36: error: gangs have the dimensions 1, 2 and 3, and this is `n`
#pragma acc parallel loop gang(dim:n) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
}

void counts(int n, double *a) {
// CHECK-DAG: levels.c:[[@LINE+1]]:36: error: `gang` takes no number under `parallel`, whose `num_gangs` says how many there are
#pragma acc parallel loop gang(num:4) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: levels.c:[[@LINE+1]]:34: error: `worker` takes no number under `parallel`, whose `num_workers` says how many there are
#pragma acc parallel loop worker(4) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma acc parallel copy(a[0:n])
  {
// CHECK-DAG: levels.c:[[@LINE+1]]:32: error: `vector` takes no number under `parallel`, whose `vector_length` says how many there are
#pragma acc loop vector(length:64)
    for (int i = 0; i < n; i++) a[i] = 0;
  }
// CHECK-DAG: levels.c:[[@LINE+1]]:30: error: `gang` takes no number under `serial`, which has one of each
#pragma acc serial loop gang(4) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: levels.c:[[@LINE+1]]:44: error: `gang` takes no number under `kernels` with `num_gangs`, which says how many there are
#pragma acc kernels loop num_gangs(3) gang(4) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
#pragma acc kernels loop gang(4) vector(64) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
}

void constructs(int n, double *a) {
// CHECK-DAG: levels.c:[[@LINE+1]]:1: note: the outer one is here
#pragma acc parallel copy(a[0:n])
  {
// CHECK-DAG: levels.c:[[@LINE+1]]:1: error: a compute construct cannot stand in another: put the inner one's parallelism on a loop, by `acc loop`
#pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = 0;
  }
}
