// RUN: terrace compile %s --emit=ptx | FileCheck %s

// The sizes of these arrays are no part of their types, but the loops have known extents: each
// thread does 16 bytes at a time where arrays begin at multiples of that, and another version is
// for the others.
// CHECK: .entry copy_region0_kernel0(
// CHECK: .maxntid 256, 1, 1
// CHECK: ld.global.nc.v4.f32
// CHECK: st.global.v4.f32
// CHECK: .entry copy_region0_kernel0_unaligned(
// CHECK-NOT: .v4.f32
void copy(const float a[restrict 1 << 28], float b[restrict 1 << 28]) {
#pragma acc parallel loop present(a, b)
  for (int i = 0; i < 1 << 28; i++)
    b[i] = a[i];
}

// CHECK: .entry open_region0_kernel0(
// CHECK: .maxntid 256, 1, 1
// CHECK: ld.global.nc.v4.f32
void open(int n, const float a[restrict n], float b[restrict n]) {
#pragma acc parallel loop present(a, b)
  for (int i = 0; i < n; i++)
    b[i] = 2 * a[i];
}

// A directive that says how many threads there are, leaves one iteration to each.
// CHECK: .entry asked_region0_kernel0(
// CHECK: .maxntid 512, 1, 1
// CHECK: ld.global.nc.f32
// CHECK-NOT: ld.global.nc.f32
// CHECK: ret;
void asked(const float a[restrict 1 << 28], float b[restrict 1 << 28]) {
#pragma acc parallel loop present(a, b) vector_length(512)
  for (int i = 0; i < 1 << 28; i++)
    b[i] = a[i];
}
