/* Water in soil columns: implicit diffusion in each, infiltration, drainage, plants, many columns. */
#include "bench.h"

#define LAYERS 20
#define COLUMNS 1500
#define STEPS 144

struct soil {
  double theta[LAYERS]; /* water content */
  double dz[LAYERS];
  double ksat, porosity, runoff, uptake;
  int type, frozen;
};

static struct soil column[COLUMNS];
static const double ksat_of[4] = {2e-5, 8e-6, 3e-6, 6e-7}, porosity_of[4] = {0.40, 0.45, 0.48, 0.50};

static void step_column(struct soil *s, double rain, double demand, double dt) {
  double a[LAYERS], b[LAYERS], c[LAYERS], r[LAYERS], diff[LAYERS];
  if (s->frozen) {
    s->runoff += rain * dt;
    return;
  }
  for (int k = 0; k < LAYERS; k++) {
    double sat = s->theta[k] / s->porosity;
    if (sat < 0.05) sat = 0.05;
    if (sat > 1.0) sat = 1.0;
    double s2 = sat * sat;
    diff[k] = s->ksat * 4.0 * s2 * s2 * sat;
  }
  double room = (s->porosity - s->theta[0]) * s->dz[0] / dt, infil = rain;
  if (infil > s->ksat) infil = s->ksat;
  if (infil > room) infil = room;
  s->runoff += (rain - infil) * dt;

  for (int k = 0; k < LAYERS; k++) {
    double up = k > 0 ? 0.5 * (diff[k] + diff[k - 1]) / (0.5 * (s->dz[k] + s->dz[k - 1])) : 0.0;
    double down = k < LAYERS - 1 ? 0.5 * (diff[k] + diff[k + 1]) / (0.5 * (s->dz[k] + s->dz[k + 1])) : 0.0;
    double f = dt / s->dz[k], take = k < 8 ? demand / 8 : 0.0;
    if (take * dt > 0.1 * s->theta[k] * s->dz[k]) take = 0.0;
    s->uptake += take * dt;
    a[k] = -f * up;
    c[k] = -f * down;
    b[k] = 1.0 + f * (up + down);
    r[k] = s->theta[k] + f * ((k == 0 ? infil : 0.0) - take);
  }
  r[LAYERS - 1] -= dt / s->dz[LAYERS - 1] * s->ksat * 0.01 * s->theta[LAYERS - 1];
  for (int k = 1; k < LAYERS; k++) {
    double w = a[k] / b[k - 1];
    b[k] -= w * c[k - 1];
    r[k] -= w * r[k - 1];
  }
  s->theta[LAYERS - 1] = r[LAYERS - 1] / b[LAYERS - 1];
  for (int k = LAYERS - 2; k >= 0; k--) s->theta[k] = (r[k] - c[k] * s->theta[k + 1]) / b[k];
}

int main(void) {
  for (int i = 0; i < COLUMNS; i++) {
    struct soil *s = &column[i];
    s->type = i % 4;
    s->frozen = i % 17 == 3;
    s->ksat = ksat_of[s->type];
    s->porosity = porosity_of[s->type];
    for (int k = 0; k < LAYERS; k++) {
      s->dz[k] = 0.02 + 0.01 * k;
      s->theta[k] = 0.15 + 0.1 * bench_random(1, i * LAYERS + k);
    }
  }
  bench_start();
  for (int t = 0; t < STEPS; t++) {
    double rain = t % 12 < 3 ? 4e-6 : 0.0;
    for (int i = 0; i < COLUMNS; i++) step_column(&column[i], rain * (1 + i % 3), 1e-8 * (t % 24), 1800.0);
  }
  bench_stop();
  double water = 0, runoff = 0, uptake = 0;
  for (int i = 0; i < COLUMNS; i++) {
    for (int k = 0; k < LAYERS; k++) water += column[i].theta[k] * column[i].dz[k];
    runoff += column[i].runoff;
    uptake += column[i].uptake;
  }
  printf("check soilcolumns %.10g %.10g %.10g\n", water, runoff, uptake);
  return 0;
}
