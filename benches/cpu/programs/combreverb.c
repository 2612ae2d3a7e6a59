/* Schroeder's reverberator: four combs in parallel, two allpasses in series, wet and dry mixed. */
#include "bench.h"

#define COMBS 4
#define LEN 120000

typedef struct {
  float *buf;
  int size, at;
  float feedback, damp, store;
} Comb;

typedef struct {
  float *buf;
  int size, at;
} Allpass;

static Comb combs[COMBS];
static Allpass passes[2];

static void comb_process(Comb *c, const float *in, float *out, int n) {
  float store = c->store;
  int at = c->at;
  for (int i = 0; i < n; i++) {
    float y = c->buf[at];
    store = y * (1 - c->damp) + store * c->damp;
    c->buf[at] = in[i] + store * c->feedback;
    if (++at == c->size) at = 0;
    out[i] += y;
  }
  c->store = store;
  c->at = at;
}

static void allpass_process(Allpass *a, float *io, int n) {
  for (int i = 0; i < n; i++) {
    float b = a->buf[a->at], y = b - io[i];
    a->buf[a->at] = io[i] + b * 0.5f;
    a->at = (a->at + 1) % a->size;
    io[i] = y;
  }
}

int main(void) {
  static const int sizes[COMBS] = {1116, 1188, 1277, 1356}, asizes[2] = {556, 441};
  float *dry = malloc(LEN * sizeof(float)), *wet = malloc(LEN * sizeof(float));
  for (int i = 0; i < COMBS; i++) {
    combs[i].buf = calloc(sizes[i], sizeof(float));
    combs[i].size = sizes[i];
    combs[i].feedback = 0.7f + 0.03f * i;
    combs[i].damp = 0.2f;
  }
  for (int i = 0; i < 2; i++) {
    passes[i].buf = calloc(asizes[i], sizeof(float));
    passes[i].size = asizes[i];
  }
  for (int i = 0; i < LEN; i++) dry[i] = (float)((bench_random(4, i) - 0.5) * exp(-(i % 9000) * 0.002));

  double loud = 0, peak = 0;
  bench_start();
  for (int rep = 0; rep < 30; rep++) {
    for (int start = 0; start < LEN; start += 512) {
      int n = LEN - start < 512 ? LEN - start : 512;
      float *w = wet + start;
      for (int i = 0; i < n; i++) w[i] = 0;
      for (int c = 0; c < COMBS; c++) comb_process(&combs[c], dry + start, w, n);
      for (int a = 0; a < 2; a++) allpass_process(&passes[a], w, n);
      for (int i = 0; i < n; i++) w[i] = 0.3f * w[i] + 0.7f * dry[start + i];
    }
    for (int i = 0; i < LEN; i++) {
      loud += fabsf(wet[i]);
      if (wet[i] > peak) peak = wet[i];
    }
  }
  bench_stop();
  printf("check combreverb %.7g %.7g\n", loud, peak);
  for (int i = 0; i < COMBS; i++) free(combs[i].buf);
  for (int i = 0; i < 2; i++) free(passes[i].buf);
  free(dry);
  free(wet);
  return 0;
}
