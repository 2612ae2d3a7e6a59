/* T steps of Maxwell's equations in two dimensions on a staggered grid; fict drives the
   border. */
#include "bench.h"

#ifndef NX
#define NX BENCH_SIZE(20, 60, 200, 1000)
#endif
#ifndef NY
#define NY BENCH_SIZE(30, 80, 240, 1200)
#endif
#ifndef T
#define T BENCH_SIZE(20, 40, 100, 500)
#endif

static void kernel_fdtd_2d(int nx, int ny, int steps, DATA_TYPE ex[NX][NY],
                           DATA_TYPE ey[NX][NY], DATA_TYPE hz[NX][NY],
                           DATA_TYPE fict[T]) {
  int i, j, t;

  SCOP
  ACC(data copy(ex[0:NX][0:NY], ey[0:NX][0:NY], hz[0:NX][0:NY]) copyin(fict[0:steps]))
  for (t = 0; t < steps; t++) {
    ACC(parallel loop)
    for (j = 0; j < ny; j++) ey[0][j] = fict[t];
    ACC(parallel loop collapse(2))
    for (i = 1; i < nx; i++)
      for (j = 0; j < ny; j++) ey[i][j] = ey[i][j] - VAL(0.5) * (hz[i][j] - hz[i - 1][j]);
    ACC(parallel loop collapse(2))
    for (i = 0; i < nx; i++)
      for (j = 1; j < ny; j++) ex[i][j] = ex[i][j] - VAL(0.5) * (hz[i][j] - hz[i][j - 1]);
    ACC(parallel loop collapse(2))
    for (i = 0; i < nx - 1; i++)
      for (j = 0; j < ny - 1; j++)
        hz[i][j] = hz[i][j] - VAL(0.7) * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(ex, NX, NY);
  BENCH_2D(ey, NX, NY);
  BENCH_2D(hz, NX, NY);
  BENCH_1D(fict, T);
  bench_fill(ex, NX * NY, 1);
  bench_fill(ey, NX * NY, 2);
  bench_fill(hz, NX * NY, 3);
  bench_fill(fict, T, 4);

  bench_start();
  kernel_fdtd_2d(NX, NY, T, ex, ey, hz, fict);
  bench_stop();

  bench_show("ex", ex, NX * NY);
  bench_show("ey", ey, NX * NY);
  bench_show("hz", hz, NX * NY);
  BENCH_FREE(ex);
  BENCH_FREE(ey);
  BENCH_FREE(hz);
  BENCH_FREE(fict);
  return 0;
}
