/* Data, regions and queues on a GPU, with a kernel in PTX by hand. Prints `no GPU`, or what
   it finds wrong, or `ok`. With an argument it makes that mistake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openacc.h"
#include "terrace.h"

/* a[i] = a[i] * s + 1 for i < n. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry step(.param .u64 pa, .param .u32 pn, .param .f64 ps)\n"
    "{\n"
    "  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .f64 %fd<5>;\n"
    "  ld.param.u64 %rd1, [pa];\n"
    "  ld.param.u32 %r1, [pn];\n"
    "  ld.param.f64 %fd1, [ps];\n"
    "  mov.u32 %r2, %ctaid.x;\n"
    "  mov.u32 %r3, %ntid.x;\n"
    "  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.s32 %p1, %r5, %r1;\n"
    "  @%p1 bra done;\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mul.wide.s32 %rd3, %r5, 8;\n"
    "  add.s64 %rd4, %rd2, %rd3;\n"
    "  ld.global.f64 %fd2, [%rd4];\n"
    "  mov.f64 %fd3, 0d3FF0000000000000;\n"
    "  fma.rn.f64 %fd4, %fd2, %fd1, %fd3;\n"
    "  st.global.f64 [%rd4], %fd4;\n"
    "done:\n"
    "  ret;\n"
    "}\n";

static const struct terrace_param params[] = {
    {"a", 8, 8, 8, 0}, {"n", 4, 1, 1, 0}, {"s", 8, 1, 1, 0}};
static const struct terrace_kernel kernels[] = {{"step", params, 3, 0, 0, 0, 0}};
static struct terrace_image image = {ptx, sizeof ptx, kernels, 1, 0, 0};
static const struct terrace_site sites[] = {{"gpu.c", 50, 3}, {"gpu.c", 51, 5}};

/* Words: the array, its length, s, and as a result the last element. */
static int gpu(unsigned long long *w) {
  unsigned long long grid[3] = {(w[1] + 127) / 128, 1, 1}, block[3] = {128, 1, 1};
  unsigned long long args[3] = {w[0], w[1], w[2]};
  if (terrace_gpu_launch(0, grid, block, 0, args, 3, 1)) return 2;
  /* A copy of its own, as for a reduction. */
  unsigned long long own = terrace_gpu_alloc(8, 0);
  if (!own) return 1;
  if (terrace_gpu_copy(own, w[0] + 8 * (w[1] - 1), 8, 2, 0)) return 1;
  if (terrace_gpu_copy((unsigned long long)&w[3], own, 8, 1, 0)) return 1;
  return terrace_gpu_free(own, 0) ? 1 : 0;
}

static int fault(unsigned long long *w) {
  unsigned long long one[3] = {1, 1, 1}, args[3] = {8, 1, w[2]};
  return terrace_gpu_launch(0, one, one, 0, args, 3, 1) ? 2 : 0;
}

static int large_block(unsigned long long *w) {
  unsigned long long one[3] = {1, 1, 1}, block[3] = {4096, 1, 1};
  return terrace_gpu_launch(0, one, block, 0, w, 3, 1) ? 2 : 0;
}

static struct terrace_region region = {
    TERRACE_ABI, 0, "main.region1", "gpu.c", 49, 1, 0, 0, gpu, &image, sites, 2, 0, 0};

static int wrong;

static void expect(int ok, const char *what) {
  if (!ok) {
    printf("wrong: %s\n", what);
    wrong = 1;
  }
}

static unsigned long long bits(double v) {
  unsigned long long w;
  memcpy(&w, &v, sizeof w);
  return w;
}

/* Runs the region on a section of an array. */
static double run(double *a, int n, double s, unsigned kind, long queue) {
  struct terrace_map m = {a, n * sizeof *a, kind, TERRACE_WRITTEN | TERRACE_IMPLICIT, "a", 0};
  terrace_data_enter(&m, 1, queue, "gpu.c", 80);
  unsigned long long words[4] = {(unsigned long long)m.device, n, bits(s), 0};
  terrace_run(&region, terrace_target(&region), words, queue);
  terrace_data_exit(&m, 1, queue, "gpu.c", 81);
  double last;
  memcpy(&last, &words[3], sizeof last);
  return last;
}

int main(int argc, char **argv) {
  enum { N = 10000 };
  if (!terrace_on_device()) {
    printf("no GPU\n");
    return 0;
  }
  double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
  for (int i = 0; i < N; i++) a[i] = b[i] = i;
  if (argc > 1) {
    if (!strcmp(argv[1], "fault")) region.gpu = fault;
    if (!strcmp(argv[1], "block")) region.gpu = large_block;
    if (!strcmp(argv[1], "ptx")) {
      image.ptx = "nonsense";
      image.ptx_bytes = 8;
    }
    if (!strcmp(argv[1], "part")) acc_copyin(a, 8 * 10);
    if (!strcmp(argv[1], "memory")) {
      struct terrace_map m = {a, 1ull << 50, TERRACE_CREATE, 0, "a", 0};
      terrace_data_enter(&m, 1, TERRACE_SYNC, "gpu.c", 104);
    }
    struct terrace_map m = {a, N * 8, TERRACE_COPY, 0, "a", 0};
    terrace_data_enter(&m, 1, TERRACE_SYNC, "gpu.c", 107);
    run(a, N, 2, TERRACE_COPY, TERRACE_SYNC);
    printf("no error\n");
    return 0;
  }
  expect(terrace_target(&region) == 2, "the target");
  expect(acc_get_device_type() == acc_device_nvidia, "the type");
  expect(acc_get_num_devices(acc_device_nvidia) > 0, "the number");

  /* A region alone, then ten in a data region of which nothing is copied between. */
  expect(run(a, N, 2, TERRACE_COPY, TERRACE_SYNC) == 2.0 * (N - 1) + 1, "the result");
  expect(a[10] == 21 && a[N - 1] == 2.0 * (N - 1) + 1, "the array");
  struct terrace_map data[2] = {{a, N * 8, TERRACE_COPY, 0, "a", 0},
                                {b, N * 8, TERRACE_COPYIN, 0, "b", 0}};
  terrace_data_enter(data, 2, TERRACE_SYNC, "gpu.c", 122);
  for (int i = 0; i < 10; i++) run(a, N, 1, TERRACE_COPY, TERRACE_SYNC);
  run(b + 100, 50, 0, TERRACE_COPY, TERRACE_SYNC);
  expect(a[10] == 21, "not yet");
  expect(acc_is_present(a + 5, 80) && acc_deviceptr(b + 1) == (char *)data[1].device + 8 &&
             terrace_deviceptr(a) == data[0].device && acc_hostptr(data[0].device) == a,
         "addresses");
  struct terrace_map update = {b + 99, 3 * 8, TERRACE_UPDATE_HOST, 0, "b", 0};
  terrace_update(&update, 1, TERRACE_SYNC, 0, "gpu.c", 130);
  expect(b[98] == 98 && b[99] == 99 && b[100] == 1 && b[101] == 1 && b[102] == 102, "update");
  terrace_data_exit(data, 2, TERRACE_SYNC, "gpu.c", 132);
  expect(a[10] == 31 && a[0] == 11, "after ten regions");
  expect(b[149] == 149 && !acc_is_present(b, 8), "copyin does not come back");

  /* Queues: each in order, the default one too, and waits between them. */
  for (int i = 0; i < N; i++) a[i] = b[i] = 1;
  acc_copyin_async(a, N * 8, 1);
  acc_copyin_async(b, N * 8, acc_async_noval);
  for (int i = 0; i < 200; i++) {
    run(a, N, 1, TERRACE_PRESENT, 1);
    run(b, N, 1, TERRACE_PRESENT, TERRACE_NOVAL);
  }
  acc_wait_async(1, 2);
  run(a, N, 3, TERRACE_PRESENT, 2);
  acc_copyout_async(a, N * 8, 2);
  acc_copyout_finalize_async(b, N * 8, acc_async_noval);
  acc_wait(2);
  expect(a[0] == 604 && a[N - 1] == 604, "queue 2 after queue 1");
  terrace_wait(TERRACE_NOVAL);
  expect(b[0] == 201 && b[N - 1] == 201, "the default queue");
  terrace_wait_all();
  expect(acc_async_test(1) && acc_async_test_all(), "all is done");

  /* Memory in the program's own hands. */
  double *d = acc_malloc(N * 8);
  acc_memcpy_to_device(d, a, N * 8);
  acc_map_data(b, d, N * 8);
  run(b, N, 1, TERRACE_COPY, TERRACE_SYNC);
  expect(b[0] == 201, "mapped data stays");
  acc_update_self(b, N * 8);
  expect(b[0] == 605, "what is mapped");
  acc_unmap_data(b);
  acc_memcpy_from_device(a, d, N * 8);
  expect(a[N - 1] == 605, "the copy back");
  acc_free(d);
  acc_shutdown(acc_device_default);
  free(a);
  free(b);
  if (!wrong) printf("ok\n");
  return wrong;
}
