/* A CIC decimator of several channels: integrators at the high rate, combs at the low one. */
#include "bench.h"

#define STAGES 4
#define DECIM 16
#define CHANNELS 8
#define SAMPLES 65536

typedef struct {
  int32_t integ[STAGES];
  int32_t comb[STAGES][2];
  uint8_t phase;
} cic_t;

static cic_t filter[CHANNELS];
static int8_t sigma[CHANNELS][SAMPLES];
static int32_t out[CHANNELS][SAMPLES / DECIM];

/* Arithmetic wraps on purpose, which is what makes a CIC work. */
static inline int32_t wadd(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static inline int32_t wsub(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }

static int cic_run(cic_t *f, const int8_t *in, int n, int32_t *dst) {
  int produced = 0;
  while (n--) {
    int32_t v = *in++;
    for (int s = 0; s < STAGES; s++) {
      f->integ[s] = wadd(f->integ[s], v);
      v = f->integ[s];
    }
    if (++f->phase == DECIM) {
      f->phase = 0;
      for (int s = 0; s < STAGES; s++) {
        int32_t t = wsub(v, f->comb[s][1]);
        f->comb[s][1] = f->comb[s][0];
        f->comb[s][0] = v;
        v = t;
      }
      *dst++ = v >> 12;
      produced++;
    }
  }
  return produced;
}

int main(void) {
  for (int c = 0; c < CHANNELS; c++) {
    double err = 0;
    for (int i = 0; i < SAMPLES; i++) {
      double want = 0.7 * sin(i * (0.0007 + 0.0003 * c)) + 0.05 * bench_random(c + 1, i);
      sigma[c][i] = want + err > 0 ? 1 : -1;
      err += want - sigma[c][i];
    }
  }
  uint64_t mix = 0;
  long count = 0;
  bench_start();
  for (int rep = 0; rep < 30; rep++) {
    for (int c = 0; c < CHANNELS; c++) {
      /* blocks as a DMA delivers them */
      int done = 0;
      for (int i = 0; i < SAMPLES; i += 256) done += cic_run(&filter[c], sigma[c] + i, 256, out[c] + done);
      count += done;
    }
    for (int c = 0; c < CHANNELS; c++)
      for (int i = 0; i < SAMPLES / DECIM; i++) mix += (uint64_t)((int64_t)out[c][i] * (i % 7 + 1) * (c + 1));
  }
  bench_stop();
  printf("check cicfilter %ld %lld\n", count, (long long)mix);
  return 0;
}
