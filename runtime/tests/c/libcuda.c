/* A stand-in for NVIDIA's driver, for tests of what happens around it: as much of its
   interface as the runtime uses, on the host's memory, at once. It knows the kernels of the
   tests by their names; `wild` breaks a device as a faulting kernel does.

   FAKE_CUDA_INIT     what cuInit says (0)
   FAKE_CUDA_DEVICES  how many devices there are (1)
   FAKE_CUDA_MEMORY   how many bytes each has (64 MiB) */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_PTX = 218,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700
};

enum { MOST = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t used[MOST];
static int broken[MOST];
static __thread int current = -1;

static long setting(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text && *text ? atol(text) : otherwise;
}

static int devices(void) { return (int)setting("FAKE_CUDA_DEVICES", 1); }
static size_t total(void) { return (size_t)setting("FAKE_CUDA_MEMORY", 64 << 20); }

/* What every call says once a kernel has faulted on this thread's device. */
static int ready(void) {
  if (current < 0) return INVALID_CONTEXT;
  pthread_mutex_lock(&mutex);
  int code = broken[current] ? ILLEGAL_ADDRESS : 0;
  pthread_mutex_unlock(&mutex);
  return code;
}

int cuInit(unsigned flags) {
  (void)flags;
  return (int)setting("FAKE_CUDA_INIT", devices() ? 0 : NO_DEVICE);
}

int cuDriverGetVersion(int *version) {
  *version = 12080;
  return 0;
}

static const char *name_of(int code) {
  switch (code) {
  case INVALID_VALUE: return "CUDA_ERROR_INVALID_VALUE";
  case OUT_OF_MEMORY: return "CUDA_ERROR_OUT_OF_MEMORY";
  case NO_DEVICE: return "CUDA_ERROR_NO_DEVICE";
  case INVALID_PTX: return "CUDA_ERROR_INVALID_PTX";
  case INVALID_HANDLE: return "CUDA_ERROR_INVALID_HANDLE";
  case ILLEGAL_ADDRESS: return "CUDA_ERROR_ILLEGAL_ADDRESS";
  default: return 0;
  }
}

int cuGetErrorName(int code, const char **text) {
  *text = name_of(code);
  return *text ? 0 : INVALID_VALUE;
}

int cuGetErrorString(int code, const char **text) {
  *text = code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : name_of(code);
  return *text ? 0 : INVALID_VALUE;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal < devices() ? 0 : INVALID_DEVICE;
}

int cuDeviceGetCount(int *count) {
  *count = devices();
  return 0;
}

int cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, (size_t)length, "stand-in %d", device);
  return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = total();
  return 0;
}

#define MULTIPROCESSORS 4

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
  case 1: *value = 1024; return 0;      /* threads of a block */
  case 2: case 3: *value = 1024; return 0;
  case 4: *value = 64; return 0;
  case 5: *value = 2147483647; return 0; /* the grid */
  case 6: case 7: *value = 65535; return 0;
  case 8: *value = 49152; return 0;     /* shared memory */
  case 97: *value = 232448; return 0;
  case 10: *value = 32; return 0;       /* a warp */
  case 12: *value = 65536; return 0;    /* registers */
  case 16: *value = MULTIPROCESSORS; return 0;
  case 75: *value = 9; return 0;        /* sm_90 */
  default: *value = 0; return 0;
  }
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = (void *)(uintptr_t)(device + 1);
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  return 0;
}

int cuCtxSetCurrent(void *context) {
  current = (int)(uintptr_t)context - 1;
  return 0;
}

int cuCtxSynchronize(void) { return ready(); }

/* Memory: what is allocated, with its size and device in front. */
struct head {
  size_t bytes;
  int device;
};

int cuMemGetInfo_v2(size_t *free_bytes, size_t *all) {
  int code = ready();
  if (code) return code;
  pthread_mutex_lock(&mutex);
  *all = total();
  *free_bytes = *all - used[current];
  pthread_mutex_unlock(&mutex);
  return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  int code = ready();
  if (code) return code;
  pthread_mutex_lock(&mutex);
  if (bytes > total() - used[current]) code = OUT_OF_MEMORY;
  else used[current] += bytes;
  pthread_mutex_unlock(&mutex);
  if (code) return code;
  char *memory;
  if (posix_memalign((void **)&memory, 256, bytes + 256)) return OUT_OF_MEMORY;
  struct head head = {bytes, current};
  memcpy(memory, &head, sizeof head);
  memset(memory + 256, 0xcd, bytes);
  *address = (uint64_t)(uintptr_t)memory + 256;
  return 0;
}

int cuMemFree_v2(uint64_t address) {
  int code = ready();
  if (code) return code;
  char *memory = (char *)(uintptr_t)(address - 256);
  struct head head;
  memcpy(&head, memory, sizeof head);
  pthread_mutex_lock(&mutex);
  used[head.device] -= head.bytes;
  pthread_mutex_unlock(&mutex);
  free(memory);
  return 0;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  (void)flags;
  int code = ready();
  if (code) return code;
  return posix_memalign(memory, 4096, bytes) ? OUT_OF_MEMORY : 0;
}

int cuMemFreeHost(void *memory) {
  int code = ready();
  if (!code) free(memory);
  return code;
}

int cuPointerGetAttribute(void *value, unsigned attribute, uint64_t address) {
  (void)value;
  (void)attribute;
  (void)address;
  return INVALID_VALUE;
}

static int copy(void *to, const void *from, size_t bytes) {
  int code = ready();
  if (!code) memmove(to, from, bytes);
  return code;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  (void)stream;
  return copy((void *)(uintptr_t)to, from, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  (void)stream;
  return copy(to, (void *)(uintptr_t)from, bytes);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  (void)stream;
  return copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
}

/* One side of a copy of rows: where it begins, what memory it is in, and how it is laid out. */
struct side {
  size_t x, y, z, lod;
  unsigned kind;
  void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch, height;
};

struct rows {
  struct side from, to;
  size_t width, height, depth;
};

static char *row(const struct side *s, size_t y, size_t z) {
  enum { HOST = 1 };
  char *start = s->kind == HOST ? (char *)s->host : (char *)(uintptr_t)s->device;
  return start + ((s->z + z) * s->height + s->y + y) * s->pitch + s->x;
}

int cuMemcpy3DAsync_v2(const struct rows *r, void *stream) {
  (void)stream;
  if (r->from.pitch < r->width || r->to.pitch < r->width) return INVALID_VALUE;
  if (r->depth > 1 && (r->from.height < r->height || r->to.height < r->height))
    return INVALID_VALUE;
  int code = ready();
  for (size_t z = 0; !code && z < r->depth; z++)
    for (size_t y = 0; y < r->height; y++)
      memmove(row(&r->to, y, z), row(&r->from, y, z), r->width);
  return code;
}

static int fill(uint64_t to, const void *value, size_t size, size_t count) {
  int code = ready();
  for (size_t i = 0; !code && i < count; i++)
    memcpy((char *)(uintptr_t)to + i * size, value, size);
  return code;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  (void)stream;
  return fill(to, &value, 1, count);
}

int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  (void)stream;
  return fill(to, &value, 2, count);
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  (void)stream;
  return fill(to, &value, 4, count);
}

/* Modules: their text. Compiled, it has a word in front. */
static const char compiled[] = "STAND-IN:";

struct kernel {
  char name[64];
  size_t sizes[16];
  size_t params;
  struct kernel *next;
};

struct module {
  char *text;
  struct kernel *kernels;
};

static int line_of(const char *text, const char *at) {
  int line = 1;
  for (; text < at; text++) line += *text == '\n';
  return line;
}

/* What is wrong with a text: a line, or 0. */
static int judge(const char *text, const char **what) {
  static const char *const bad[] = {"f65", ".entrz"};
  int open = 0;
  if (strncmp(text, ".version", 8) && !strstr(text, "\n.version")) {
    *what = "Missing .version directive";
    return 1;
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *at = strstr(text, bad[i]);
    *what = "Parsing error";
    if (at) return line_of(text, at);
  }
  for (const char *p = text; *p; p++) open += (*p == '{') - (*p == '}');
  *what = "Unexpected end of file";
  return open ? line_of(text, text + strlen(text)) : 0;
}

int cuModuleLoadDataEx(void **module, const char *image, unsigned n, int *options, void **values) {
  int code = ready();
  if (code) return code;
  const char *what;
  if (!strncmp(image, compiled, sizeof compiled - 1)) image += sizeof compiled - 1;
  int line = judge(image, &what);
  if (line) {
    for (unsigned i = 0; i < n; i++)
      if (options[i] == 5)
        snprintf(values[i], 200, "ptxas application ptx input, line %d; fatal   : %s", line, what);
    return INVALID_PTX;
  }
  struct module *m = calloc(1, sizeof *m);
  m->text = strdup(image);
  *module = m;
  return 0;
}

int cuModuleUnload(struct module *module) {
  while (module->kernels) {
    struct kernel *next = module->kernels->next;
    free(module->kernels);
    module->kernels = next;
  }
  free(module->text);
  free(module);
  return 0;
}

int cuModuleGetFunction(struct kernel **function, struct module *module, const char *name) {
  char entry[80];
  int code = ready();
  if (code) return code;
  snprintf(entry, sizeof entry, ".entry %.60s(", name);
  const char *at = strstr(module->text, entry);
  if (!at) return NOT_FOUND;
  struct kernel *k = calloc(1, sizeof *k);
  snprintf(k->name, sizeof k->name, "%s", name);
  const char *end = strchr(at + strlen(entry), ')');
  while ((at = strstr(at, ".param .")) && at < end && k->params < 16) {
    k->sizes[k->params++] = (size_t)atoi(at + 9) / 8;
    at++;
  }
  pthread_mutex_lock(&mutex);
  k->next = module->kernels;
  module->kernels = k;
  pthread_mutex_unlock(&mutex);
  *function = k;
  return 0;
}

int cuFuncGetAttribute(int *value, int attribute, struct kernel *function) {
  (void)function;
  *value = attribute == 0 ? 1024 : attribute == 4 ? 16 : 0;
  return 0;
}

int cuFuncSetAttribute(struct kernel *function, int attribute, int value) {
  (void)function;
  (void)attribute;
  (void)value;
  return 0;
}

int cuFuncGetParamInfo(struct kernel *function, size_t index, size_t *offset, size_t *size) {
  if (index >= function->params) return INVALID_VALUE;
  *offset = index * 8;
  *size = function->sizes[index];
  return 0;
}

/* Linking: what is compiled is the text with the word in front. */
struct link {
  char *code;
};

int cuLinkCreate_v2(unsigned n, int *options, void **values, struct link **state) {
  (void)n;
  (void)options;
  (void)values;
  *state = calloc(1, sizeof **state);
  return 0;
}

int cuLinkAddData_v2(struct link *state, int type, const char *data, size_t size, const char *name,
                     unsigned n, int *options, void **values) {
  const char *what;
  (void)type;
  (void)name;
  (void)n;
  (void)options;
  (void)values;
  if (judge(data, &what)) return INVALID_PTX;
  state->code = malloc(sizeof compiled + size);
  memcpy(state->code, compiled, sizeof compiled - 1);
  memcpy(state->code + sizeof compiled - 1, data, size);
  return 0;
}

int cuLinkComplete(struct link *state, void **code, size_t *size) {
  *code = state->code;
  *size = strlen(state->code) + 1;
  return 0;
}

int cuLinkDestroy(struct link *state) {
  free(state->code);
  free(state);
  return 0;
}

/* Launches: what the kernels of the tests do, by name. */
static void break_down(void) {
  pthread_mutex_lock(&mutex);
  broken[current] = 1;
  pthread_mutex_unlock(&mutex);
}

static void each(void **p, double s, double plus) {
  double *a = *(double **)p[0];
  for (unsigned i = 0; i < *(unsigned *)p[1]; i++) a[i] = fma(a[i], s, plus);
}

int cuLaunchKernel(struct kernel *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared, void *stream, void **p, void **extra) {
  int code = ready();
  unsigned threads = gx * gy * gz * bx * by * bz;
  (void)shared;
  (void)stream;
  (void)extra;
  if (code) return code;
  if (!strcmp(f->name, "scale") || !strcmp(f->name, "step")) {
    if (*(uintptr_t *)p[0] < 4096) {
      break_down();
      return 0;
    }
    each(p, *(double *)p[2], 1);
  } else if (!strcmp(f->name, "slow")) {
    for (unsigned r = 0; r < *(unsigned *)p[2]; r++) each(p, 1, 1);
  } else if (!strcmp(f->name, "place")) {
    unsigned *a = *(unsigned **)p[0];
    for (unsigned i = 0; i < threads; i++) a[i] = i;
  } else if (!strcmp(f->name, "widths")) {
    **(uint64_t **)p[0] = *(uint8_t *)p[1] + *(uint16_t *)p[2] + (uint64_t) * (uint32_t *)p[3] +
                          *(uint64_t *)p[4] + (uint64_t) * (float *)p[5] + (uint64_t) * (double *)p[6];
  } else if (!strcmp(f->name, "shared")) {
    unsigned *a = *(unsigned **)p[0];
    for (unsigned b = 0; b < gx; b++)
      for (unsigned i = 0; i < bx / 2; i++) {
        unsigned *low = a + b * bx + i, *high = a + b * bx + bx - 1 - i, old = *low;
        *low = *high;
        *high = old;
      }
  } else if (!strcmp(f->name, "meet")) {
    for (unsigned b = 0; b < gx; b++) {
      (*(unsigned **)p[0])[b] = b;
      (*(unsigned **)p[1])[b] = gx * (gx - 1) / 2;
    }
  } else if (!strcmp(f->name, "wild")) {
    /* Noticed by whoever waits. */
    break_down();
  }
  return 0;
}

/* Blocks of any kernel that a multiprocessor has room for. */
#define ROOM 2

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct kernel *f, int threads,
                                                size_t shared) {
  (void)f;
  (void)threads;
  (void)shared;
  *blocks = ROOM;
  return ready();
}

int cuLaunchCooperativeKernel(struct kernel *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, void *stream, void **p) {
  /* CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE */
  if (gx * gy * gz > ROOM * MULTIPROCESSORS) return 720;
  return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, p, 0);
}

/* Streams and events: everything has happened. */
int cuStreamCreate(void **stream, unsigned flags) {
  int code = ready();
  (void)flags;
  if (!code) *stream = malloc(1);
  return code;
}

int cuStreamDestroy_v2(void *stream) {
  free(stream);
  return ready();
}

int cuStreamSynchronize(void *stream) {
  (void)stream;
  return ready();
}

int cuStreamQuery(void *stream) {
  (void)stream;
  return ready();
}

struct event {
  int recorded;
  struct timespec at;
};

int cuStreamWaitEvent(void *stream, struct event *event, unsigned flags) {
  (void)stream;
  (void)event;
  (void)flags;
  return ready();
}

int cuEventCreate(struct event **event, unsigned flags) {
  int code = ready();
  (void)flags;
  if (!code) *event = calloc(1, sizeof **event);
  return code;
}

int cuEventDestroy_v2(struct event *event) {
  free(event);
  return ready();
}

int cuEventRecord(struct event *event, void *stream) {
  int code = ready();
  (void)stream;
  if (code) return code;
  pthread_mutex_lock(&mutex);
  event->recorded = 1;
  clock_gettime(CLOCK_MONOTONIC, &event->at);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int cuEventSynchronize(struct event *event) {
  (void)event;
  return ready();
}

int cuEventElapsedTime(float *milliseconds, struct event *first, struct event *last) {
  int code = ready();
  if (code) return code;
  if (!first->recorded || !last->recorded) return INVALID_HANDLE;
  *milliseconds = (float)((double)(last->at.tv_sec - first->at.tv_sec) * 1e3 +
                          (double)(last->at.tv_nsec - first->at.tv_nsec) * 1e-6);
  return 0;
}
