/* Where the blocks of a frame lay in the one before: the least sum of absolute differences. */
#include "bench.h"

#define W 320
#define H 192
#define B 16
#define REACH 7

static unsigned char before[H * W], now[H * W];

static int difference(const unsigned char *a, const unsigned char *b, int stride, int limit) {
  int sum = 0;
  for (int y = 0; y < B; y++) {
    for (int x = 0; x < B; x++) sum += abs(a[x] - b[x]);
    if (sum >= limit) return sum;
    a += stride;
    b += stride;
  }
  return sum;
}

static int search(int by, int bx, int *my, int *mx) {
  int best = B * B * 256;
  for (int dy = -REACH; dy <= REACH; dy++) {
    for (int dx = -REACH; dx <= REACH; dx++) {
      int y = by + dy, x = bx + dx;
      if (y < 0 || x < 0 || y + B > H || x + B > W) continue;
      int sum = difference(now + by * W + bx, before + y * W + x, W, best);
      if (sum < best) {
        best = sum;
        *my = dy;
        *mx = dx;
      }
    }
  }
  return best;
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      before[y * W + x] = 100 + 80 * sin(x * 0.11) * cos(y * 0.07) + 20 * bench_random(1, y * W + x);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      now[y * W + x] = before[(y + 3) % H * W + (x + W - 5) % W] + (int)(bench_random(2, y * W + x) * 9);

  long total = 0, vectors = 0;
  bench_start();
  for (int r = 0; r < 100; r++) {
    for (int y = 0; y < H; y += B)
      for (int x = 0; x < W; x += B) {
        int my = 0, mx = 0;
        total += search(y, x, &my, &mx);
        vectors += 31 * my + mx;
      }
    now[r * 1000 % (W * H)] ^= 15;
  }
  bench_stop();

  printf("check motion %ld %ld\n", total, vectors);
  return 0;
}
