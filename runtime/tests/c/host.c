/* Both interfaces where regions stay on the host. Prints what it finds wrong. */
#include <stdio.h>
#include <string.h>

#include "openacc.h"
#include "terrace.h"

static int wrong;

static void expect(int ok, const char *what) {
  if (!ok) {
    printf("wrong: %s\n", what);
    wrong = 1;
  }
}

static int twice(unsigned long long *words) {
  double *a = (double *)words[0];
  for (unsigned long long i = 0; i < words[1]; ++i) a[i] *= 2;
  words[2] = words[1];
  return words[1] > 100 ? 2 : 0;
}

static const struct terrace_site sites[] = {{"host.c", 40, 3}, {"host.c", 41, 5}};
static struct terrace_region region = {
    TERRACE_ABI, 0, "twice.region1", "host.c", 39, 1, twice, 0, twice, 0, sites, 2, 0, 0};

static int add(void *env, long begin, long end) {
  double *a = env;
  for (long i = begin; i < end; ++i) a[i] += 1;
  return 0;
}

int main(int argc, char **argv) {
  const char *want = argc > 1 ? argv[1] : "host";
  double a[64], b[64];
  for (int i = 0; i < 64; ++i) a[i] = i;

  int target = terrace_target(&region);
  expect(target == (strcmp(want, "cpu") ? 0 : 1), "the target");
  expect(!terrace_on_device(), "no device");
  if (target == 1) {
    unsigned long long words[3] = {(unsigned long long)a, 64, 0};
    terrace_run(&region, target, words, TERRACE_SYNC);
    expect(words[2] == 64 && a[63] == 126, "the region");
    for (int i = 0; i < 64; ++i) a[i] /= 2;
    if (argc > 2) {
      static double many[101];
      words[0] = (unsigned long long)many;
      words[1] = 101;
      printf("before\n");
      terrace_run(&region, target, words, TERRACE_SYNC);
      printf("after\n");
    }
  }

  struct terrace_map maps[2] = {{a, sizeof a, TERRACE_COPY, TERRACE_WRITTEN, "a", 0},
                                {b, sizeof b, TERRACE_COPYIN, 0, "b", 0}};
  expect(!terrace_overlap(maps, 2), "no overlap");
  maps[1].host = a + 63;
  expect(terrace_overlap(maps, 2), "an overlap");
  maps[1].host = b;
  terrace_data_enter(maps, 2, TERRACE_SYNC, "host.c", 60);
  expect(maps[0].device == a && maps[1].device == b, "the host's own addresses");
  terrace_data_exit(maps, 2, 4, "host.c", 61);
  maps[0].kind = TERRACE_UPDATE_HOST;
  terrace_update(maps, 1, TERRACE_NOVAL, 0, "host.c", 62);
  terrace_wait(4);
  terrace_wait_all();
  expect(terrace_deviceptr(b) == b, "no other address");
  expect(terrace_parallel_for(add, a, 0, 64, 1) == 0 && a[63] == 64, "a parallel loop");

  acc_init(acc_device_default);
  expect(acc_get_device_type() == acc_device_host, "the type");
  expect(acc_get_num_devices(acc_device_nvidia) == 0, "no GPU");
  expect(acc_get_num_devices(acc_device_host) == 1, "one host");
  acc_set_device_num(0, acc_device_default);
  acc_set_device_type(acc_device_host);
  expect(acc_get_device_num(acc_device_host) == 0, "its number");
  expect(acc_on_device(acc_device_host) && !acc_on_device(acc_device_nvidia), "on the host");
  expect(acc_copyin(a, sizeof a) == a && acc_create(b, sizeof b) == b, "shared memory");
  expect(acc_is_present(a, sizeof a) && acc_deviceptr(a) == a && acc_hostptr(b) == b,
         "all is present");
  acc_update_device(a, sizeof a);
  acc_update_self_async(a, sizeof a, 1);
  acc_copyout(a, sizeof a);
  acc_delete_finalize_async(b, sizeof b, acc_async_noval);
  double *d = acc_malloc(sizeof a);
  acc_memcpy_to_device(d, a, sizeof a);
  acc_memcpy_from_device_async(b, d, sizeof a, 2);
  acc_wait_async(2, 3);
  expect(acc_async_test(3) && acc_async_test_all(), "all is done");
  acc_wait_all();
  expect(memcmp(a, b, sizeof a) == 0, "the copies");
  acc_free(d);
  expect(acc_get_default_async() >= 0, "the default queue");
  acc_set_default_async(5);
  expect(acc_get_default_async() == 5, "another one");
  void *p = a;
  acc_attach(&p);
  acc_detach_finalize(&p);
  expect(p == a, "a pointer");
  expect(!strcmp(acc_get_property_string(0, acc_device_host, acc_property_name), "host"),
         "its name");
  expect(acc_get_property(0, acc_device_host, acc_property_shared_memory_support) == 1,
         "it shares");
  acc_shutdown(acc_device_default);
  if (!wrong) printf("ok\n");
  return wrong;
}
