/* Edges of an image: Deriche's recursive filter, forwards and backwards along the rows, then
   along the columns. */
#include "bench.h"

#ifndef W
#define W BENCH_SIZE(64, 192, 720, 4096)
#endif
#ifndef H
#define H BENCH_SIZE(64, 128, 480, 2160)
#endif

static void kernel_deriche(int w, int h, DATA_TYPE alpha, DATA_TYPE imgIn[W][H],
                           DATA_TYPE imgOut[W][H], DATA_TYPE y1[W][H],
                           DATA_TYPE y2[W][H]) {
  int i, j;
  DATA_TYPE xm1, tm1, ym1, ym2, xp1, xp2, tp1, tp2, yp1, yp2;
  DATA_TYPE k, a1, a2, a3, a4, a5, a6, a7, a8, b1, b2;

  SCOP
  k = (VAL(1.0) - EXP(-alpha)) * (VAL(1.0) - EXP(-alpha)) /
      (VAL(1.0) + VAL(2.0) * alpha * EXP(-alpha) - EXP(VAL(2.0) * alpha));
  a1 = a5 = k;
  a2 = a6 = k * EXP(-alpha) * (alpha - VAL(1.0));
  a3 = a7 = k * EXP(-alpha) * (alpha + VAL(1.0));
  a4 = a8 = -k * EXP(VAL(-2.0) * alpha);
  b1 = POW(VAL(2.0), -alpha);
  b2 = -EXP(VAL(-2.0) * alpha);
  ACC(data copyin(imgIn[0:W][0:H]) copyout(imgOut[0:W][0:H]) create(y1[0:W][0:H],
      y2[0:W][0:H]))
  {
    ACC(parallel loop private(ym1, ym2, xm1))
    for (i = 0; i < w; i++) {
      ym1 = VAL(0.0);
      ym2 = VAL(0.0);
      xm1 = VAL(0.0);
      for (j = 0; j < h; j++) {
        y1[i][j] = a1 * imgIn[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
        xm1 = imgIn[i][j];
        ym2 = ym1;
        ym1 = y1[i][j];
      }
    }
    ACC(parallel loop private(yp1, yp2, xp1, xp2))
    for (i = 0; i < w; i++) {
      yp1 = VAL(0.0);
      yp2 = VAL(0.0);
      xp1 = VAL(0.0);
      xp2 = VAL(0.0);
      for (j = h - 1; j >= 0; j--) {
        y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
        xp2 = xp1;
        xp1 = imgIn[i][j];
        yp2 = yp1;
        yp1 = y2[i][j];
      }
    }
    ACC(parallel loop collapse(2))
    for (i = 0; i < w; i++)
      for (j = 0; j < h; j++) imgOut[i][j] = y1[i][j] + y2[i][j];
    ACC(parallel loop private(tm1, ym1, ym2))
    for (j = 0; j < h; j++) {
      tm1 = VAL(0.0);
      ym1 = VAL(0.0);
      ym2 = VAL(0.0);
      for (i = 0; i < w; i++) {
        y1[i][j] = a5 * imgOut[i][j] + a6 * tm1 + b1 * ym1 + b2 * ym2;
        tm1 = imgOut[i][j];
        ym2 = ym1;
        ym1 = y1[i][j];
      }
    }
    ACC(parallel loop private(tp1, tp2, yp1, yp2))
    for (j = 0; j < h; j++) {
      tp1 = VAL(0.0);
      tp2 = VAL(0.0);
      yp1 = VAL(0.0);
      yp2 = VAL(0.0);
      for (i = w - 1; i >= 0; i--) {
        y2[i][j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2;
        tp2 = tp1;
        tp1 = imgOut[i][j];
        yp2 = yp1;
        yp1 = y2[i][j];
      }
    }
    ACC(parallel loop collapse(2))
    for (i = 0; i < w; i++)
      for (j = 0; j < h; j++) imgOut[i][j] = y1[i][j] + y2[i][j];
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(imgIn, W, H);
  BENCH_2D(imgOut, W, H);
  BENCH_2D(y1, W, H);
  BENCH_2D(y2, W, H);
  bench_fill(imgIn, W * H, 1);
  bench_zero(imgOut, W * H);
  bench_zero(y1, W * H);
  bench_zero(y2, W * H);

  bench_start();
  kernel_deriche(W, H, VAL(0.25), imgIn, imgOut, y1, y2);
  bench_stop();

  bench_show("imgOut", imgOut, W * H);
  BENCH_FREE(imgIn);
  BENCH_FREE(imgOut);
  BENCH_FREE(y1);
  BENCH_FREE(y2);
  return 0;
}
