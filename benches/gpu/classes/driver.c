/* Calls one form of one program.

     driver FORM WHERE RUNS SECONDS SIZES ARRAY...

   FORM is a name in the table of `stubs.c`, SIZES are numbers between commas, an ARRAY is
   NAME,TYPE,DIMS,SEED,FILL,ROLE, with DIMS as 8x8 and a + behind the role of one that stays on
   the host. With WHERE `device` arrays stay there from call to call;
   with `host` they do not; `files` writes those arrays as NAME.npy that `terrace run` cannot
   fill, and calls nothing. The time of each call goes to standard error, the sums of what was
   written to standard output. CLASSES_LOCK names a file that is locked while a device is used,
   so that several programs may prepare their arrays at the same time. */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "forms.h"

struct stub {
  const char *name;
  void (*call)(const int *sizes, void *const *arrays);
};
extern const struct stub stubs[];

struct array {
  char name[32], type, fill[64], shape[64], role[16];
  long count, seed, row;
  int host, special, written, again;
  void *p, *first;
};

static double fraction(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

/* Kinds that forms.h does not have, with their numbers behind colons:
     skew:N     integers below N, small ones much more often
     always:K   K
     flags:L    1 for one in L, else 0
     sorted:N   integers below N in ascending order, each a little less often than the one before
     starts:L   where parts begin that are L long on average, 0 to 2 L
     steep:L    the same, the first ones by far the longest
     near:N:W   integers below N, those of element i of COUNT at most W from N * i / COUNT, in a ring
     nearc:N:W  at most W from i % N */
static void fill(struct array *a) {
  long x = 0, y = 0;
  char kind[32];
  sscanf(a->fill, "%31[^:]:%ld:%ld", kind, &x, &y);
  if (!strcmp(kind, "below") || !strcmp(kind, "random") || !strcmp(kind, "zeros")) {
    a->p = forms_array(a->type, a->count, (uint64_t)a->seed, kind, a->row, x);
    a->special = !strcmp(kind, "below") || (a->type == 'u' && kind[0] == 'r');
    return;
  }
  a->special = 1;
  a->p = malloc((size_t)a->count * forms_bytes(a->type));
  if (!a->p) exit(2);
  for (long i = 0; i < a->count; i++) {
    uint64_t bits = forms_draw((uint64_t)a->seed, (uint64_t)i);
    double u = fraction(bits), at = (double)i / (double)a->count;
    long v = 0;
    if (!strcmp(kind, "skew")) v = (long)(u * u * u * u * (double)x);
    if (!strcmp(kind, "always")) v = x;
    if (!strcmp(kind, "flags")) v = u * (double)x < 1;
    if (!strcmp(kind, "sorted")) v = (long)(pow(at, 1.2) * (double)x);
    if (!strcmp(kind, "starts")) v = i == 0 ? 0 : i == a->count - 1 ? i * x : i * x - (long)(u * (double)x);
    if (!strcmp(kind, "steep")) v = (long)(cbrt((double)i / (double)(a->count - 1)) * (double)(x * (a->count - 1)));
    if (!strncmp(kind, "near", 4)) {
      v = (kind[4] ? i % x : (long)(at * (double)x)) + (long)(u * (double)(2 * y + 1)) - y;
      v = (v % x + x) % x;
    }
    forms_set(a->p, a->type, i, (double)v);
  }
}

int main(int argc, char **argv) {
  if (argc < 7) return 2;
  int device = !strcmp(argv[2], "device"), runs = atoi(argv[3]), sizes[16], count = 0, lock = -1;
  double limit = atof(argv[4]);
  const struct stub *stub = stubs;
  while (stub->name && strcmp(stub->name, argv[1])) stub++;
  if (!stub->name) {
    fprintf(stderr, "found the form %s, expected one that was built\n", argv[1]);
    return 2;
  }
  for (char *s = strtok(argv[5], ","); s; s = strtok(NULL, ",")) sizes[count++] = atoi(s);
  struct array arrays[16] = {0};
  void *pointers[16];
  int n = argc - 6;
  for (int k = 0; k < n; k++) {
    struct array *a = &arrays[k];
    if (sscanf(argv[6 + k], "%31[^,],%c,%63[^,],%ld,%63[^,],%15s", a->name, &a->type, a->shape, &a->seed, a->fill, a->role) != 6) return 2;
    a->count = 1;
    for (char *s = a->shape; *s; s += *s != 0) {
      a->count *= a->row = strtol(s, &s, 10);
    }
    a->host = strchr(a->role, '+') != NULL;
    a->again = a->role[0] == 's' || !strncmp(a->role, "inout", 5);
    a->written = a->role[0] == 'o' || !strncmp(a->role, "inout", 5);
    fill(a);
    pointers[k] = a->p;
    if (!strcmp(argv[2], "files")) {
      char shape[128] = "";
      for (char *s = a->shape; *s; s++) snprintf(shape + strlen(shape), sizeof shape - strlen(shape), *s == 'x' ? ", " : "%c", *s);
      if (a->special) forms_file(a->name, shape, a->p, a->type, a->count);
      continue;
    }
    size_t bytes = (size_t)a->count * forms_bytes(a->type);
    if (a->again) {
      a->first = malloc(bytes);
      if (!a->first) return 2;
      memcpy(a->first, a->p, bytes);
    }
  }
  if (!strcmp(argv[2], "files")) return 0;
  if (getenv("CLASSES_LOCK") && (lock = open(getenv("CLASSES_LOCK"), O_RDWR | O_CREAT, 0666)) >= 0) flock(lock, LOCK_EX);
  for (int k = 0; k < n; k++)
    if (device && !arrays[k].host) acc_copyin(arrays[k].p, (size_t)arrays[k].count * forms_bytes(arrays[k].type));
  double start = forms_now();
  for (int run = 0; run < runs && forms_now() - start < (run < 2 ? 3 * limit : limit); run++) {
    for (int k = 0; k < n && run; k++)
      if (arrays[k].first) {
        size_t bytes = (size_t)arrays[k].count * forms_bytes(arrays[k].type);
        memcpy(arrays[k].p, arrays[k].first, bytes);
        if (device && !arrays[k].host) acc_update_device(arrays[k].p, bytes);
      }
    double began = forms_now();
    stub->call(sizes, pointers);
    fprintf(stderr, "time %.9f\n", forms_now() - began);
  }
  for (int k = 0; k < n; k++)
    if (device && !arrays[k].host && arrays[k].written)
      acc_update_self(arrays[k].p, (size_t)arrays[k].count * forms_bytes(arrays[k].type));
  /* The lock is kept until this process has left the device. A copy of it looks at the results meanwhile. */
  fflush(NULL);
  int child = lock >= 0;
  if (child) {
    if (fork()) return 0;
    close(lock);
  }
  for (int k = 0; k < n; k++)
    if (arrays[k].written) forms_show(arrays[k].name, arrays[k].p, arrays[k].type, arrays[k].count);
  fflush(stdout);
  if (child) _exit(0);
  return 0;
}
