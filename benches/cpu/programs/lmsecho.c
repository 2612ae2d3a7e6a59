/* An echo canceller: normalised LMS over a circular delay line whose length is a power of two. */
#include "bench.h"
#include <string.h>

#define TAPS 128u
#define MASK (TAPS - 1u)
#define N 60000

struct canceller {
  float w[TAPS];
  float line[TAPS];
  unsigned head;
  float energy;
};

static float cancel(struct canceller *c, float far, float mic, float mu) {
  c->head = (c->head - 1u) & MASK;
  const float old = c->line[c->head];
  c->line[c->head] = far;
  c->energy += far * far - old * old;
  if (c->energy < 0) c->energy = 0;

  float estimate = 0;
  for (unsigned k = 0; k < TAPS; k++) estimate += c->w[k] * c->line[(c->head + k) & MASK];
  const float e = mic - estimate;
  const float g = mu * e / (c->energy + 1e-3f);
  for (unsigned k = 0; k < TAPS; k++) c->w[k] += g * c->line[(c->head + k) & MASK];
  return e;
}

int main(void) {
  float *far = malloc(N * sizeof *far), *mic = malloc(N * sizeof *mic);
  float room[TAPS];
  for (unsigned k = 0; k < TAPS; k++) room[k] = (float)((bench_random(9, k) - 0.5) * exp(-0.05 * k));
  for (int i = 0; i < N; i++) far[i] = (float)(bench_random(5, i) - 0.5);
  for (int i = 0; i < N; i++) {
    float s = 0;
    for (int k = 0; k < (int)TAPS && k <= i; k++) s += room[k] * far[i - k];
    mic[i] = s + 0.001f * (float)(bench_random(6, i) - 0.5);
  }

  static struct canceller c;
  double early = 0, late = 0;
  bench_start();
  for (int rep = 0; rep < 4; rep++) {
    memset(&c, 0, sizeof c);
    for (int i = 0; i < N; i++) {
      float e = cancel(&c, far[i], mic[i], 0.4f + 0.1f * rep);
      if (i < 500)
        early += e * e;
      else if (i >= N - 500)
        late += e * e;
    }
  }
  bench_stop();

  double misfit = 0;
  for (unsigned k = 0; k < TAPS; k++) misfit += fabs(c.w[k] - room[k]);
  printf("check lmsecho %.4g %d %d\n", early, late < 1e-3, misfit < 0.1);
  free(far);
  free(mic);
  return 0;
}
