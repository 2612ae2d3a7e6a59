/* 44.1 kHz to 48 kHz (160/147) with a polyphase filter, 16 bit stereo. */
#include "bench.h"

enum { UP = 160, DOWN = 147, TAPS = 24, FRAMES = 44100, OUT_FRAMES = FRAMES * UP / DOWN + 1 };

static int16_t bank[UP][TAPS];
static int16_t src[2 * (FRAMES + TAPS)];
static int16_t dst[2 * OUT_FRAMES];

static void design(void) {
  const int n = UP * TAPS;
  for (int i = 0; i < n; i++) {
    double t = (i - (n - 1) / 2.0) / UP;
    double w = 0.5 - 0.5 * cos(2 * M_PI * (i + 0.5) / n);
    double h = (fabs(t) < 1e-9 ? 0.9 : sin(M_PI * 0.9 * t) / (M_PI * t)) * w;
    bank[i % UP][i / UP] = (int16_t)lrint(h * 32000);
  }
}

static int16_t clip(int32_t acc) {
  acc = (acc + (1 << 14)) >> 15;
  return acc > INT16_MAX ? INT16_MAX : acc < INT16_MIN ? INT16_MIN : (int16_t)acc;
}

static size_t resample(int16_t *restrict o, const int16_t *restrict in, size_t frames, unsigned gain) {
  size_t made = 0, pos = 0;
  unsigned phase = 0;
  while (pos < frames && made < OUT_FRAMES) {
    const int16_t *h = bank[phase], *p = in + 2 * pos;
    int32_t l = 0, r = 0;
    for (int k = 0; k < TAPS; k++, p += 2) {
      l += h[TAPS - 1 - k] * p[0];
      r += h[TAPS - 1 - k] * p[1];
    }
    o[2 * made] = clip((int32_t)((int64_t)l * gain >> 8));
    o[2 * made + 1] = clip((int32_t)((int64_t)r * gain >> 8));
    made++;
    phase += DOWN;
    if (phase >= UP) {
      phase -= UP;
      pos++;
    }
  }
  return made;
}

int main(void) {
  design();
  for (int i = 0; i < FRAMES; i++) {
    src[2 * i] = (int16_t)(9000 * sin(i * 0.031) + 1500 * (bench_random(1, i) - 0.5));
    src[2 * i + 1] = (int16_t)(8000 * sin(i * 0.057 + 1) + 3000 * (bench_random(2, i) - 0.5));
  }
  size_t total = 0;
  int64_t energy = 0, edge = 0;
  bench_start();
  for (unsigned r = 0; r < 90; r++) {
    size_t n = resample(dst, src, FRAMES, 256 - r);
    total += n;
    for (size_t i = 0; i < 2 * n; i++) energy += dst[i] * dst[i];
    edge += dst[n] ^ dst[2 * n - 1];
  }
  bench_stop();
  printf("check polyresample %zu %lld %lld\n", total, (long long)energy, (long long)edge);
  return 0;
}
