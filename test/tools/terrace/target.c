// Where regions are asked to run.
//
// RUN: terrace cc -c %s -o %t.o --terrace-keep=%t.dir
// RUN: FileCheck %s --check-prefix=ARCH --input-file=%t.dir/tmp.f.region2.ptx
// RUN: FileCheck %s --check-prefix=OTHER --input-file=%t.dir/tmp.f.region3.ptx
// RUN: ls %t.dir | FileCheck %s --check-prefix=FILES
// RUN: terrace explain %s | FileCheck %s
// RUN: terrace explain %s --format json | FileCheck %s --check-prefix=JSON
// RUN: terrace compile %s --emit ptx | FileCheck %s --check-prefix=BOTH

// FILES:     tmp.f.region0.cpu.mlir
// FILES-NOT: tmp.f.region0.ptx
// FILES-NOT: tmp.f.region1
// FILES:     tmp.f.region2.cpu.mlir

// ARCH: .target sm_90
// OTHER: .target sm_75
// BOTH: .target sm_90
// BOTH-NOT: .target

#define N 6400
#define WHERE gpu
double a[N], b[N];

// JSON: "name": "f.region0"
// JSON: "target": "it runs on the host's cores, as terrace compiles it: the directive at line [[@LINE+6]] asks for it"
void f(int n)
{
  // CHECK:      - a region begins here (auto), with no kernel
  // CHECK-NEXT: - it runs on the host's cores, as terrace compiles it: the directive at line [[@LINE+2]] asks for it
  // CHECK-NEXT: - the loop over i is parallel
#pragma terrace target(cpu)
#pragma scop
  for (int i = 0; i < n; i++) a[i] = i;
#pragma endscop
  // CHECK:      ! this region stays on the host: the directive at line [[@LINE+3]] asks for it
  // CHECK-NEXT: line [[@LINE+2]]
  // CHECK:      - the loop over i is parallel
#pragma terrace target(host)
#pragma acc parallel loop
  for (int i = 0; i < N; i++) b[i] = a[i];
  // CHECK: - it runs on a GPU of architecture sm_90 or newer if there is one: the directive at line [[@LINE+2]] asks for it
#pragma acc parallel loop
#pragma terrace target(sm_90)
  for (int i = 0; i < N; i++) b[i] += a[i];
  // CHECK: - it runs on a GPU if there is one: the directive at line [[@LINE+1]] asks for it
#pragma terrace target(WHERE)
#pragma terrace offload
  for (int i = 0; i < N; i++) b[i] += a[i];
}

// CHECK-LABEL: : g
// CHECK: - it runs on the host's cores, as terrace compiles it: the directive at line [[@LINE+2]] asks for it
// CHECK: - it runs on a GPU if there is one: the directive at line [[@LINE+6]] asks for it
#pragma terrace target(cpu)
void g(void)
{
#pragma acc parallel loop
  for (int i = 0; i < N; i++) b[i] += a[i];
#pragma terrace target(gpu)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++) b[i] -= a[i];
  }
}

// CHECK-LABEL: : h
// CHECK: ! this region stays on the host: the directive at line [[@LINE+3]] asks for it
void h(void)
{
#pragma terrace host
#pragma scop
  for (int i = 0; i < N; i++) b[i] += a[i];
#pragma endscop
}

// A loop that stays on the host says nothing about its neighbours, and a function about
// all of its loops.
//
// RUN: terrace explain %s --auto | FileCheck %s --check-prefix=FOUND
//
// FOUND-LABEL: : mixed
// FOUND: - the loop over i runs on the host: it is in no region
// FOUND: - kernel mixed_region0_kernel0
// FOUND: - the loop over j is parallel
void mixed(void)
{
#pragma terrace host
  for (int i = 0; i < N; i++) {
    b[i] += a[i];
  }
  a[0] = 0;
  for (int j = 0; j < N; j++) b[j] += a[j];
}

// FOUND-LABEL: : all_of_it
// FOUND: ! this region stays on the host: a directive before the function says where it runs
#pragma terrace host
void all_of_it(void)
{
  for (int i = 0; i < N; i++) b[i] += a[i];
}
