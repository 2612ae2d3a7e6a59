// RUN: terrace cc -Minfo -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: terrace compile %s --emit=ptx | FileCheck %s

// INFO: kernel plain_region0_kernel0: blocks of 32 x 4 x 2 threads
// INFO: kernel asked_region0_kernel0: blocks of 64 x

// The product of these is the most threads that a block has; its sizes are read.
// CHECK: .entry plain_region0_kernel0(
// CHECK: .maxntid 32, 4, 2
// CHECK: %ntid.x
void plain(int l, int m, int n, const float a[restrict l][m][n], float b[restrict l][m][n]) {
#pragma acc parallel loop collapse(3)
  for (int i = 0; i < l; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < n; k++)
        if (j % 3 == 0)
          b[i][j][k] = 2 * a[i][j][k];
}

// CHECK: .entry asked_region0_kernel0(
// CHECK: .maxntid 64,
void asked(int m, int n, const float a[restrict m][n], float b[restrict m][n]) {
#pragma acc parallel loop gang vector_length(64)
  for (int j = 0; j < m; j++)
#pragma acc loop vector
    for (int k = 0; k < n; k++)
      if (j % 3 == 0)
        b[j][k] = 2 * a[j][k];
}
