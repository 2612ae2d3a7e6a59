// Variables that loops without a count hand on and nobody reads: the loops stay, the
// variables go, and what is inside still ends.
//
// RUN: terrace compile %s --emit mlir | FileCheck %s
// RUN: terrace compile %s --emit ptx | FileCheck %s --check-prefix=PTX

// PTX: .entry
// CHECK-LABEL: func.func @f.region0(
// CHECK-COUNT-3: scf.while
// CHECK: return
void f(int n, int *a)
{
  int i, j, k = 0, t;
#pragma acc kernels copy(a[0:n])
  {
    for (i = 0; i < n; i++) a[i] = i;
    for (i = 0; i < n; i++) {
      int q = a[i]; t = 0;
      while (q > 1) { q /= 2; t++; int u = t; while (u > 0) { u -= 3; k++; } j = u; }
      for (j = 0; j < 4; j++) { for (k = 0; k < a[j]; k++) if (a[k]) break; t = k; }
      j = k;
    }
    for (i = n; i; i--) for (j = 0; j < i; j += i) k = j;
    i = 0;
    while (i < n) { j = i; while (j < 100) { j = j * 2 + 1; k = j; if (k > t) break; } i++; t = j; }
    do { k = 0; do { k++; if (k > a[0]) break; t = k; } while (k < 5); i--; j = t; } while (i > 0);
    while (j > 0) { if (t) { k = j; while (k) { k--; i = k; } } else { for (i = 0; i < j; i += j) t = i; k = t; } j--; }
  }
}
