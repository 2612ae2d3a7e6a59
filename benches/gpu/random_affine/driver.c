/* Calls one form of one random program: `driver SEED_FORM device|host RUNS`. Arrays hold what check_main.c says.
   With `device` they stay on the device from call to call. Slow programs are called three times. The first call's outputs are printed as sums, the time
   of each call goes to standard error. RANDOM_LOCK names a file that is locked while the device is used, so that
   several of these may prepare their arrays side by side. `measure.py` writes `entries`. */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

void *acc_copyin(void *, size_t);
void acc_update_self(void *, size_t);

struct array {
  const char *name;
  char type;
  long count;
  uint64_t seed;
  int written;
};
struct entry {
  const char *name;
  void (*call)(void *const *arrays);
  int count;
  const struct array *arrays;
};
extern const struct entry entries[];

/* f, d, i, u and s are float, double, int, unsigned char and short. */
static size_t bytes_of(char type) { return type == 'd' ? 8 : type == 'u' ? 1 : type == 's' ? 2 : 4; }

static void *filled(const struct array *a) {
  char *p = malloc((size_t)a->count * bytes_of(a->type));
  if (!p) exit(2);
  for (long i = 0; i < a->count; i++) {
    uint64_t z = a->seed + ((uint64_t)i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    double part = (double)(z >> 11) * 0x1p-53;
    int whole = (int)(z >> 60) - 8;
    if (a->type == 'f') ((float *)p)[i] = (float)part;
    if (a->type == 'd') ((double *)p)[i] = part;
    if (a->type == 'i') ((int *)p)[i] = whole;
    if (a->type == 'u') ((unsigned char *)p)[i] = (unsigned char)whole;
    if (a->type == 's') ((short *)p)[i] = (short)whole;
  }
  return p;
}

static void show(const struct array *a, const void *p) {
  double sum = 0, magnitude = 0;
  for (long i = 0; i < a->count; i++) {
    double x = a->type == 'f' ? ((const float *)p)[i] : a->type == 'd' ? ((const double *)p)[i] : a->type == 'i' ? ((const int *)p)[i]
               : a->type == 'u' ? ((const unsigned char *)p)[i] : ((const short *)p)[i];
    sum += x;
    magnitude += fabs(x);
  }
  printf("check %s %.17g %.17g\n", a->name, sum, magnitude);
}

/* Seconds after which three calls are enough. */
#define PATIENCE 0.5

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  const struct entry *e = entries;
  while (e->name && strcmp(e->name, argv[1])) e++;
  if (!e->name) {
    fprintf(stderr, "found the program %s, expected one that was built\n", argv[1]);
    return 2;
  }
  void *p[32];
  for (int k = 0; k < e->count; k++) p[k] = filled(&e->arrays[k]);
  int device = !strcmp(argv[2], "device");
  /* Others may use the device while this process gets ready to. */
  static float ready[1];
  acc_copyin(ready, sizeof ready);
  int lock = getenv("RANDOM_LOCK") ? open(getenv("RANDOM_LOCK"), O_RDWR | O_CREAT, 0666) : -1;
  if (lock >= 0) flock(lock, LOCK_EX);
  if (device)
    for (int k = 0; k < e->count; k++) acc_copyin(p[k], (size_t)e->arrays[k].count * bytes_of(e->arrays[k].type));
  double first = now();
  for (int run = 0; run < atoi(argv[3]) && (run < 3 || now() - first < PATIENCE); run++) {
    double began = now();
    e->call(p);
    fprintf(stderr, "time %.9f\n", now() - began);
    for (int k = 0; k < e->count && !run; k++)
      if (e->arrays[k].written) {
        if (device) acc_update_self(p[k], (size_t)e->arrays[k].count * bytes_of(e->arrays[k].type));
        show(&e->arrays[k], p[k]);
      }
  }
  if (lock >= 0) flock(lock, LOCK_UN);
  return 0;
}
