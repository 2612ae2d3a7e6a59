/* A radar's tracks: a constant velocity Kalman filter (x, y, vx, vy) for each, two measured. */
#include "bench.h"

#define TRACKS 400
#define SCANS 4000

typedef struct Track {
  double x[4];
  double P[4][4];
  int hits, misses;
} Track;

static Track tracks[TRACKS];
static double truth[TRACKS][4];

static void predict(Track *t, double dt, double q) {
  double F[4][4] = {{1, 0, dt, 0}, {0, 1, 0, dt}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  double FP[4][4], x[4];
  for (int i = 0; i < 4; i++) {
    x[i] = 0;
    for (int j = 0; j < 4; j++) {
      x[i] += F[i][j] * t->x[j];
      FP[i][j] = 0;
      for (int k = 0; k < 4; k++) FP[i][j] += F[i][k] * t->P[k][j];
    }
  }
  for (int i = 0; i < 4; i++) {
    t->x[i] = x[i];
    for (int j = 0; j < 4; j++) {
      double s = i == j ? q : 0;
      for (int k = 0; k < 4; k++) s += FP[i][k] * F[j][k];
      t->P[i][j] = s;
    }
  }
}

static int update(Track *t, const double z[2], double r) {
  double y0 = z[0] - t->x[0], y1 = z[1] - t->x[1];
  double s00 = t->P[0][0] + r, s01 = t->P[0][1], s11 = t->P[1][1] + r;
  double det = s00 * s11 - s01 * s01;
  double i00 = s11 / det, i01 = -s01 / det, i11 = s00 / det;
  double gate = y0 * (i00 * y0 + i01 * y1) + y1 * (i01 * y0 + i11 * y1);
  if (gate > 25) {
    t->misses++;
    return 0;
  }
  double K[4][2];
  for (int i = 0; i < 4; i++) {
    K[i][0] = t->P[i][0] * i00 + t->P[i][1] * i01;
    K[i][1] = t->P[i][0] * i01 + t->P[i][1] * i11;
  }
  double old[2][4];
  for (int j = 0; j < 4; j++) {
    old[0][j] = t->P[0][j];
    old[1][j] = t->P[1][j];
  }
  for (int i = 0; i < 4; i++) {
    t->x[i] += K[i][0] * y0 + K[i][1] * y1;
    for (int j = 0; j < 4; j++) t->P[i][j] -= K[i][0] * old[0][j] + K[i][1] * old[1][j];
  }
  t->hits++;
  return 1;
}

int main(void) {
  for (int i = 0; i < TRACKS; i++) {
    for (int k = 0; k < 2; k++) {
      truth[i][k] = 1000 * bench_random(1, 4 * i + k);
      truth[i][k + 2] = 10 * (bench_random(1, 4 * i + 2 + k) - 0.5);
      tracks[i].x[k] = truth[i][k] + 3;
      for (int j = 0; j < 2; j++) tracks[i].P[k + 2 * j][k + 2 * j] = 50;
    }
  }
  long accepted = 0;
  bench_start();
  for (int s = 0; s < SCANS; s++) {
    for (int i = 0; i < TRACKS; i++) {
      double z[2];
      for (int k = 0; k < 2; k++) {
        truth[i][k] += truth[i][k + 2];
        z[k] = truth[i][k] + 4 * (bench_random(2 + k, (uint64_t)s * TRACKS + i) - 0.5);
        if ((s * 7 + i) % 53 == 0) z[k] += 300;
      }
      predict(&tracks[i], 1.0, 0.01);
      accepted += update(&tracks[i], z, 1.4);
    }
  }
  bench_stop();
  long missed = 0;
  double err = 0;
  for (int i = 0; i < TRACKS; i++) {
    missed += tracks[i].misses;
    err += hypot(tracks[i].x[0] - truth[i][0], tracks[i].x[1] - truth[i][1]);
  }
  printf("check kalmantracks %ld %ld %.10g\n", accepted, missed, err);
  return 0;
}
