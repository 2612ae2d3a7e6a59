/* A picture of two tones: eroded, dilated, its edges, its regions numbered by two passes. */
#include "bench.h"

#define W 320
#define H 240

static unsigned char picture[H][W], eroded[H][W], dilated[H][W], edge[H][W];
static int label[H][W], parent[W * H / 2];

static void erode(unsigned char in[H][W], unsigned char out[H][W]) {
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      int all = 1;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          if (!in[y + dy][x + dx]) all = 0;
      out[y][x] = all ? 255 : 0;
    }
}

static void dilate(unsigned char in[H][W], unsigned char out[H][W]) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      unsigned char v = in[y][x];
      if (x > 0 && in[y][x - 1] > v) v = in[y][x - 1];
      if (x < W - 1 && in[y][x + 1] > v) v = in[y][x + 1];
      if (y > 0 && in[y - 1][x] > v) v = in[y - 1][x];
      if (y < H - 1 && in[y + 1][x] > v) v = in[y + 1][x];
      out[y][x] = v;
    }
}

static int find(int a) {
  while (parent[a] != a) a = parent[a];
  return a;
}

static int regions(unsigned char in[H][W]) {
  int next = 1;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      label[y][x] = 0;
      if (!in[y][x]) continue;
      int up = y > 0 ? label[y - 1][x] : 0, left = x > 0 ? label[y][x - 1] : 0;
      if (up && left) {
        int a = find(up), b = find(left);
        if (a < b) parent[b] = a;
        if (b < a) parent[a] = b;
        label[y][x] = a < b ? a : b;
      } else if (up || left) {
        label[y][x] = up ? up : left;
      } else {
        parent[next] = next;
        label[y][x] = next++;
      }
    }
  int count = 0;
  for (int i = 1; i < next; i++) count += parent[i] == i;
  return count;
}

int main(void) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      picture[y][x] = sin(x * 0.13) * cos(y * 0.09) + 0.4 * bench_random(1, y * W + x) > 0.3 ? 255 : 0;

  long total = 0;
  bench_start();
  for (int r = 0; r < 100; r++) {
    erode(picture, eroded);
    dilate(picture, dilated);
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) edge[y][x] = dilated[y][x] ^ eroded[y][x];
    total += regions(picture);
    picture[r * 2][r * 3] ^= 255;
  }
  bench_stop();

  long sum = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) sum += edge[y][x] * (1 + (x + y) % 7) + label[y][x];
  printf("check morphology %ld %ld\n", total, sum);
  return 0;
}
