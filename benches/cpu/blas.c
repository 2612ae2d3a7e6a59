/* PolyBench's products by a BLAS library, on the data of examples/c/polybench: the peer that
   polybench.py links with OpenBLAS. -DKERNEL_gemm and so on chooses one. The sizes are those of
   bench.h. The first line on standard output says which kernels the library has chosen. */
#include "bench.h"

#include <cblas.h>
#include <string.h>

char *openblas_get_corename(void);
int openblas_get_num_threads(void);

#define PRODUCT(m, n, k, alpha, a, b, beta, c, n_a, n_b, n_c)                                   \
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, n_a, b, n_b, beta, \
              c, n_c)

static double *filled(long n, int seed) {
  double *a = bench_alloc((size_t)n);
  if (seed)
    bench_fill(a, n, (uint64_t)seed);
  return a;
}

int main(void) {
  const double alpha = 1.5, beta = 1.2;
  printf("kernels %s, threads %d\n", openblas_get_corename(), openblas_get_num_threads());
  /* The library starts its threads, and looks for memory, in a first call. */
  double one[1] = {1}, other[1] = {0};
  PRODUCT(1, 1, 1, 1.0, one, one, 0.0, other, 1, 1, 1);

#if defined(KERNEL_gemm)
  double *C = filled(NI * NJ, 1), *A = filled(NI * NK, 2), *B = filled(NK * NJ, 3);
  bench_start();
  PRODUCT(NI, NJ, NK, alpha, A, B, beta, C, NK, NJ, NJ);
  bench_stop();
  bench_show("C", C, NI * NJ);
#elif defined(KERNEL_2mm)
  double *tmp = filled(NI * NJ, 0), *A = filled(NI * NK, 1), *B = filled(NK * NJ, 2);
  double *C = filled(NJ * NL, 3), *D = filled(NI * NL, 4);
  bench_start();
  PRODUCT(NI, NJ, NK, alpha, A, B, 0.0, tmp, NK, NJ, NJ);
  PRODUCT(NI, NL, NJ, 1.0, tmp, C, beta, D, NJ, NL, NL);
  bench_stop();
  bench_show("D", D, NI * NL);
#elif defined(KERNEL_3mm)
  double *E = filled(NI * NJ, 0), *A = filled(NI * NK, 1), *B = filled(NK * NJ, 2);
  double *F = filled(NJ * NL, 0), *C = filled(NJ * NM, 3), *D = filled(NM * NL, 4);
  double *G = filled(NI * NL, 0);
  bench_start();
  PRODUCT(NI, NJ, NK, 1.0, A, B, 0.0, E, NK, NJ, NJ);
  PRODUCT(NJ, NL, NM, 1.0, C, D, 0.0, F, NM, NL, NL);
  PRODUCT(NI, NL, NJ, 1.0, E, F, 0.0, G, NJ, NL, NL);
  bench_stop();
  bench_show("E", E, NI * NJ);
  bench_show("F", F, NJ * NL);
  bench_show("G", G, NI * NL);
#elif defined(KERNEL_syrk) || defined(KERNEL_syr2k)
  double *C = filled(N * N, 1), *A = filled(N * M, 2);
#ifdef KERNEL_syrk
  bench_start();
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, N, M, alpha, A, M, beta, C, N);
#else
  double *B = filled(N * M, 3);
  bench_start();
  cblas_dsyr2k(CblasRowMajor, CblasLower, CblasNoTrans, N, M, alpha, A, M, B, M, beta, C, N);
#endif
  bench_stop();
  bench_show("C", C, N * N);
#elif defined(KERNEL_symm)
  double *C = filled(M * N, 1), *A = filled(M * M, 2), *B = filled(M * N, 3);
  bench_start();
  cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, M, N, alpha, A, M, B, N, beta, C, N);
  bench_stop();
  bench_show("C", C, M * N);
#elif defined(KERNEL_trmm)
  double *A = filled(M * M, 1), *B = filled(M * N, 2);
  bench_start();
  cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasUnit, M, N, alpha, A, M, B,
              N);
  bench_stop();
  bench_show("B", B, M * N);
#elif defined(KERNEL_doitgen)
  double *A = filled(NR * NQ * NP, 1), *C4 = filled(NP * NP, 2), *sum = filled(NQ * NP, 0);
  bench_start();
  for (long r = 0; r < NR; r++) {
    double *rows = A + r * NQ * NP;
    PRODUCT(NQ, NP, NP, 1.0, rows, C4, 0.0, sum, NP, NP, NP);
    memcpy(rows, sum, sizeof(double) * NQ * NP);
  }
  bench_stop();
  bench_show("A", A, NR * NQ * NP);
#else
#error "-DKERNEL_gemm, 2mm, 3mm, syrk, syr2k, symm, trmm or doitgen"
#endif
  return 0;
}
