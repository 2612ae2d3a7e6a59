// Constants that no construct can have (2.5.10 to 2.5.12, 2.14, 2.16).
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void sizes(int n, double *a) {
// CHECK-DAG: numbers.c:[[@LINE+1]]:34: error: `num_gangs` of `kernels` takes one number; dimensions of gangs are for `parallel`
#pragma acc kernels num_gangs(2, 2) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: numbers.c:[[@LINE+3]]:31: error: `gang` needs a number above 0, and this is 0
// CHECK-DAG: numbers.c:[[@LINE+2]]:41: error: `worker` needs a number above 0, and this is 0
// CHECK-DAG: numbers.c:[[@LINE+1]]:51: error: `vector` needs a number above 0, and this is 0
#pragma acc kernels loop gang(0) worker(0) vector(0) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: numbers.c:[[@LINE+1]]:39: error: `gang` needs a number above 0, and this is 0
#pragma acc parallel loop gang(static:0) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
}

void queues(int n, double *a) {
// CHECK-DAG: numbers.c:[[@LINE+1]]:33: error: queues are numbered from 0, and this is -7; acc_async_sync, acc_async_noval and acc_async_default have names
#pragma acc parallel loop async(-7) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: numbers.c:[[@LINE+1]]:42: error: queues are numbered from 0, and this is -9; acc_async_sync, acc_async_noval and acc_async_default have names
#pragma acc parallel loop async(-1) wait(-9) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] = 0;
// CHECK-DAG: numbers.c:[[@LINE+1]]:18: error: queues are numbered from 0, and this is -9; acc_async_sync, acc_async_noval and acc_async_default have names
#pragma acc wait(-9)
// CHECK-DAG: numbers.c:[[@LINE+1]]:31: error: queues are numbered from 0, and this is -4; acc_async_sync, acc_async_noval and acc_async_default have names
#pragma acc set default_async(-4)
// CHECK-DAG: numbers.c:[[@LINE+1]]:28: error: devices are counted from 0, and this is -1
#pragma acc set device_num(-1)
}
