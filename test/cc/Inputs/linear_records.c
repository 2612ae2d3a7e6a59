/* Records in rows with linearised subscripts: their fields lie apart. */
#include <stdio.h>

#define H 24
#define W 40

struct pixel {
  unsigned char r, g, b;
  float weight;
  short both[2];
};

static struct pixel picture[H * W], other[W * H];

static void weigh(int h, int w, struct pixel *restrict p) {
#pragma acc parallel loop collapse(2) copy(p[0:h * w])
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      p[i * w + j].weight = p[i * w + j].r * 0.5f + j;
      p[i * w + j].both[1] = (short)(p[i * w + j].g - i);
    }
}

static void turn(int h, int w, const struct pixel *restrict p, struct pixel *restrict q) {
#pragma acc parallel loop collapse(2) copyin(p[0:h * w]) copy(q[0:h * w])
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) q[j * h + i].b = p[i * w + j].r;
}

static void around(struct pixel *p) {
#pragma acc parallel loop copy(p[0:W])
  for (int i = 0; i < 7; i++) p[(i + 3) % W].g = (unsigned char)(100 + i);
}

int main(void) {
  for (int i = 0; i < H * W; i++) {
    picture[i].r = (unsigned char)(i % 251);
    picture[i].g = (unsigned char)(i % 17);
  }
  weigh(H, W, picture);
  turn(H, W, picture, other);
  around(picture);
  double sum = 0;
  for (int i = 0; i < H * W; i++) {
    sum = sum * 0.999 + picture[i].weight + picture[i].both[1] * (1 + i % 7) + picture[i].g;
    sum += other[i].b * (1 + i % 5) + other[i].r;
  }
  printf("%.17g\n", sum);
  return 0;
}
