/* Many series of prices: exponential means, highest so far, greatest fall, and crossings. */
#include "bench.h"

typedef struct {
  size_t series, days;
  float *price; /* days of one series after another */
} market;

typedef struct {
  float fall;
  int crossings;
  size_t peak_day;
} report;

static report study(const float *p, size_t days, float *fast, float *slow) {
  report r = {0, 0, 0};
  float high = p[0];
  fast[0] = slow[0] = p[0];
  for (size_t d = 1; d < days; d++) {
    fast[d] = fast[d - 1] + 0.25f * (p[d] - fast[d - 1]);
    slow[d] = slow[d - 1] + 0.0625f * (p[d] - slow[d - 1]);
  }
  for (size_t d = 0; d < days; d++) {
    if (p[d] > high) {
      high = p[d];
      r.peak_day = d;
    }
    if (high - p[d] > r.fall) r.fall = high - p[d];
  }
  for (size_t d = 1; d < days; d++)
    if ((fast[d] > slow[d]) != (fast[d - 1] > slow[d - 1])) r.crossings++;
  return r;
}

int main(void) {
  market m = {2000, 1000, NULL};
  m.price = malloc(m.series * m.days * sizeof(float));
  float *fast = malloc(m.days * sizeof(float)), *slow = malloc(m.days * sizeof(float));
  for (size_t s = 0; s < m.series; s++) {
    long v = 4000;
    for (size_t d = 0; d < m.days; d++) {
      v += (long)(bench_random(1, s * m.days + d) * 129) - 64;
      m.price[s * m.days + d] = v / 64.0f;
    }
  }

  double falls = 0;
  long crossings = 0;
  size_t days = 0;
  bench_start();
  for (int round = 0; round < 14; round++)
    for (size_t s = 0; s < m.series; s++) {
      report r = study(m.price + s * m.days, m.days - round, fast, slow);
      falls += r.fall;
      crossings += r.crossings;
      days += r.peak_day;
    }
  bench_stop();
  /* A crossing may move with rounding. */
  printf("check smoothing %.10g %ld %zu\n", falls, (crossings + 500) / 1000, days);
  free(m.price);
  free(fast);
  free(slow);
  return 0;
}
