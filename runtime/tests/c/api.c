/* Every function of openacc.h, by a table: what it does to the data of the host and of
   the device, and what it returns. The device is the host where nothing else is asked
   for. Prints what is wrong, and the functions that no row is about. */
#include <stdio.h>
#include <string.h>

#include "openacc.h"

enum { N = 16 };
static const size_t BYTES = N * sizeof(int);

static int separate, a[N], b[N];

static void fill(int *p, int first) {
  for (int i = 0; i < N; i++) p[i] = first + i;
}

static int is(const int *p, int first) {
  for (int i = 0; i < N; i++)
    if (p[i] != first + i) return 0;
  return 1;
}

/* What the device has of the host's `p`. */
static int device_is(int *p, int first) {
  int copy[N];
  acc_memcpy_from_device(copy, acc_deviceptr(p), BYTES);
  return is(copy, first);
}

/* Sets what the device has of it. */
static void device_fill(int *p, int first) {
  int copy[N];
  fill(copy, first);
  acc_memcpy_to_device(acc_deviceptr(p), copy, BYTES);
}

static int present(int *p) { return acc_is_present(p, BYTES) != 0; }

/* Gone, or on the host, where everything is present. */
static int absent(int *p) { return present(p) != separate; }

/* The host's values after the device's were changed, where nothing was copied back. */
static int kept(const int *p, int before, int device) { return is(p, separate ? before : device); }

/* Entering: what the device begins with, and that entering again counts. */
static int enters(void *(*f)(void *, size_t), int copies) {
  fill(a, 10);
  int *d = f(a, BYTES);
  int ok = present(a) && d == acc_deviceptr(a) && (d != a) == separate;
  ok &= !copies || device_is(a, 10);
  device_fill(a, 30);
  ok &= f(a, BYTES) == d && device_is(a, 30);
  acc_delete(a, BYTES);
  ok &= present(a);
  acc_delete(a, BYTES);
  return ok && absent(a) && kept(a, 10, 30);
}

static int copyin(void) { return enters(acc_copyin, 1); }
static int create(void) { return enters(acc_create, 0); }
static int present_or_copyin(void) { return enters(acc_present_or_copyin, 1); }
static int present_or_create(void) { return enters(acc_present_or_create, 0); }
static int pcopyin(void) { return enters(acc_pcopyin, 1); }
static int pcreate(void) { return enters(acc_pcreate, 0); }

static void *in_async(void *p, size_t n) {
  void *d = acc_copyin_async(p, n, 3);
  acc_wait(3);
  return d;
}
static void *new_async(void *p, size_t n) {
  void *d = acc_create_async(p, n, 3);
  acc_wait(3);
  return d;
}
static int copyin_async(void) { return enters(in_async, 1); }
static int create_async(void) { return enters(new_async, 0); }

/* Leaving: whether the host gets the values, and whether it ends all that count. */
static int leaves(void (*f)(void *, size_t), int copies, int finalize) {
  fill(a, 10);
  acc_copyin(a, BYTES);
  acc_copyin(a, BYTES);
  device_fill(a, 30);
  f(a, BYTES);
  int ok = 1;
  if (!finalize) {
    ok &= present(a) && kept(a, 10, 30);
    f(a, BYTES);
  }
  ok &= absent(a) && (copies ? is(a, 30) : kept(a, 10, 30));
  /* What is not there is left alone. */
  fill(a, 50);
  f(a, BYTES);
  return ok && is(a, 50);
}

static int copyout(void) { return leaves(acc_copyout, 1, 0); }
static int delete_(void) { return leaves(acc_delete, 0, 0); }
static int copyout_finalize(void) { return leaves(acc_copyout_finalize, 1, 1); }
static int delete_finalize(void) { return leaves(acc_delete_finalize, 0, 1); }

#define LATER(name)                        \
  static void name##_later(void *p, size_t n) { \
    name(p, n, 4);                         \
    acc_wait(4);                           \
  }
LATER(acc_copyout_async)
LATER(acc_delete_async)
LATER(acc_copyout_finalize_async)
LATER(acc_delete_finalize_async)
LATER(acc_update_device_async)
LATER(acc_update_self_async)
LATER(acc_update_host_async)
static int copyout_async(void) { return leaves(acc_copyout_async_later, 1, 0); }
static int delete_async(void) { return leaves(acc_delete_async_later, 0, 0); }
static int copyout_finalize_async(void) { return leaves(acc_copyout_finalize_async_later, 1, 1); }
static int delete_finalize_async(void) { return leaves(acc_delete_finalize_async_later, 0, 1); }

static int updates(void (*f)(void *, size_t), int to_device) {
  fill(a, 10);
  acc_copyin(a, BYTES);
  device_fill(a, 30);
  if (to_device) fill(a, 20);
  /* Some of it, from the third on. */
  f(a + 3, 2 * sizeof(int));
  int ok = 1, at[N];
  acc_memcpy_from_device(at, acc_deviceptr(a), BYTES);
  for (int i = 0; i < N; i++) {
    int there = i == 3 || i == 4;
    int host = to_device ? 20 : there || !separate ? 30 : 10;
    int device = to_device && (there || !separate) ? 20 : 30;
    ok &= a[i] == host + i && at[i] == device + i;
  }
  acc_delete(a, BYTES);
  return ok;
}

static int update_device(void) { return updates(acc_update_device, 1); }
static int update_self(void) { return updates(acc_update_self, 0); }
static int update_host(void) { return updates(acc_update_host, 0); }
static int update_device_async(void) { return updates(acc_update_device_async_later, 1); }
static int update_self_async(void) { return updates(acc_update_self_async_later, 0); }
static int update_host_async(void) { return updates(acc_update_host_async_later, 0); }

static int is_present(void) {
  char *at = (char *)a;
  acc_copyin(a, BYTES);
  int ok = acc_is_present(a, BYTES) && acc_is_present(a, 1) && acc_is_present(a, 0);
  ok &= !acc_is_present(NULL, 0) && !acc_is_present(NULL, BYTES);
  struct {
    char *from;
    size_t bytes;
  } outside[] = {{at, BYTES + 1},   {at + 1, BYTES},    {at - 1, BYTES},
                 {at - 1, BYTES - 1}, {at + BYTES, 0}, {at + BYTES, BYTES}};
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
    ok &= (acc_is_present(outside[i].from, outside[i].bytes) != 0) != separate;
  ok &= acc_is_present(at + 1, BYTES - 1) && acc_is_present(at + BYTES - 1, 1);
  acc_delete(a, BYTES);
  return ok && absent(a);
}

static int deviceptr(void) {
  int ok = acc_deviceptr(a) == (separate ? NULL : a) && !acc_deviceptr(NULL);
  int *d = acc_copyin(a, BYTES);
  ok &= acc_deviceptr(a) == d && acc_deviceptr(a + 5) == d + 5;
  acc_delete(a, BYTES);
  return ok;
}

static int hostptr(void) {
  int *d = acc_copyin(a, BYTES);
  int ok = acc_hostptr(d) == a && acc_hostptr(d + 5) == a + 5 && !acc_hostptr(NULL);
  acc_delete(a, BYTES);
  return ok && (!separate || !acc_hostptr(d));
}

static int own_memory(void) {
  int *d = acc_malloc(BYTES), *e = acc_malloc(BYTES);
  int ok = d && e && d != e;
  fill(a, 70);
  acc_memcpy_to_device(d, a, BYTES);
  acc_memcpy_device(e, d, BYTES);
  acc_memcpy_from_device(b, e, BYTES);
  acc_free(d);
  acc_free(e);
  acc_free(NULL);
  return ok && is(b, 70);
}

static int own_memory_async(void) {
  int *d = acc_malloc(BYTES), *e = acc_malloc(BYTES);
  fill(a, 80);
  acc_memcpy_to_device_async(d, a, BYTES, 1);
  acc_memcpy_device_async(e, d, BYTES, 1);
  acc_memcpy_from_device_async(b, e, BYTES, 1);
  acc_wait(1);
  acc_free(d);
  acc_free(e);
  return is(b, 80);
}

static int between(void) {
  int *d = acc_malloc(BYTES), *e = acc_malloc(BYTES), n = acc_get_device_num(acc_device_current);
  fill(a, 90);
  acc_memcpy_to_device(d, a, BYTES);
  acc_memcpy_d2d(e, d, BYTES, n, n);
  acc_memcpy_from_device(b, e, BYTES);
  int ok = is(b, 90);
  fill(a, 95);
  acc_memcpy_to_device(d, a, BYTES);
  acc_memcpy_d2d_async(e, d, BYTES, n, n, 2, 2);
  acc_wait(2);
  acc_memcpy_from_device(b, e, BYTES);
  acc_free(d);
  acc_free(e);
  return ok && is(b, 95);
}

static int mapped(void) {
  int *d = acc_malloc(BYTES);
  fill(a, 10);
  acc_map_data(a, d, BYTES);
  int ok = present(a) && acc_deviceptr(a) == (separate ? d : a);
  if (separate) device_fill(a, 33);
  acc_update_self(a, BYTES);
  ok &= is(a, separate ? 33 : 10);
  /* What counts ends, and the mapping stays. */
  acc_copyin(a, BYTES);
  acc_delete_finalize(a, BYTES);
  ok &= present(a);
  acc_unmap_data(a);
  ok &= absent(a);
  acc_free(d);
  return ok;
}

/* A pointer on the device, as bytes. */
static void *on_device(void **p) {
  void *value;
  acc_memcpy_from_device(&value, acc_deviceptr(p), sizeof value);
  return value;
}

static int attaches(void (*attach)(void **), void (*detach)(void **), int finalize) {
  static void *p[3];
  p[0] = a, p[1] = a + 2, p[2] = b;
  acc_copyin(p, sizeof p);
  /* Nothing to point to yet. */
  attach(&p[1]);
  int ok = on_device(&p[1]) == a + 2;
  int *d = acc_copyin(a, BYTES);
  attach(&p[1]);
  attach(&p[1]);
  ok &= on_device(&p[0]) == a && on_device(&p[1]) == d + 2 && on_device(&p[2]) == b;
  detach(&p[1]);
  if (!finalize) {
    ok &= on_device(&p[1]) == d + 2;
    detach(&p[1]);
  }
  ok &= on_device(&p[1]) == a + 2;
  /* Where nothing is attached, all of it is undone already. */
  if (finalize) detach(&p[1]);
  attach(&p[0]);
  /* A copy back leaves the host's pointers what they are. */
  acc_copyout(p, sizeof p);
  acc_delete(a, BYTES);
  ok &= p[0] == a && p[1] == a + 2 && p[2] == b;
  attach(NULL);
  detach(NULL);
  return ok;
}

static int attach(void) { return attaches(acc_attach, acc_detach, 0); }
static int detach_finalize(void) { return attaches(acc_attach, acc_detach_finalize, 1); }
static void attach_later(void **p) { acc_attach_async(p, 5), acc_wait(5); }
static void detach_later(void **p) { acc_detach_async(p, 5), acc_wait(5); }
static void finalize_later(void **p) { acc_detach_finalize_async(p, 5), acc_wait(5); }
static int attach_async(void) { return attaches(attach_later, detach_later, 0); }
static int detach_finalize_async(void) { return attaches(attach_later, finalize_later, 1); }

/* Queues keep their order; what is waited for is done. */
static int queues(void) {
  int one[] = {acc_async_sync, 7}, none[] = {acc_async_sync}, same = acc_get_default_async();
  fill(a, 1);
  acc_copyin(a, BYTES);
  acc_update_device_async(a, BYTES, 7);
  acc_wait_async(7, 8);
  acc_update_self_async(a, BYTES, 8);
  acc_wait(8);
  int ok = acc_async_test(8) && acc_async_test(7);
  ok &= acc_wait_any(2, one) == 1 && acc_wait_any(1, none) == -1 && acc_wait_any(0, one) == -1;
  acc_wait_all_async(9);
  acc_async_wait(9);
  acc_wait_all();
  acc_async_wait_all();
  ok &= acc_async_test_all();
  acc_set_default_async(7);
  ok &= acc_get_default_async() == 7;
  acc_set_default_async(acc_async_default);
  ok &= acc_get_default_async() == same;
  acc_delete(a, BYTES);
  return ok;
}

static int queues_of_a_device(void) {
  int d = acc_get_device_num(acc_device_current), q[] = {3};
  acc_copyin_async(a, BYTES, 3);
  acc_wait_device_async(3, 4, d);
  acc_wait_all_device_async(5, d);
  acc_wait_device(4, d);
  acc_wait_all_device(d);
  int ok = acc_async_test_device(3, d) && acc_async_test_all_device(d);
  ok &= acc_wait_any_device(1, q, d) == 0 && acc_wait_any_device(0, q, d) == -1;
  acc_delete(a, BYTES);
  return ok;
}

static int devices(void) {
  int ok = acc_get_num_devices(acc_device_host) == 1 && acc_get_num_devices(acc_device_none) == 0;
  ok &= acc_get_num_devices(acc_device_nvidia) == separate;
  ok &= acc_get_num_devices(acc_device_not_host) == separate;
  ok &= acc_get_num_devices(acc_device_current) == 1;
  ok &= acc_get_device_type() == (separate ? acc_device_nvidia : acc_device_host);
  acc_set_device_type(acc_device_host);
  ok &= acc_get_device_type() == acc_device_host && acc_deviceptr(a) == a;
  acc_set_device_type(acc_device_default);
  acc_set_device_num(0, acc_device_default);
  ok &= acc_get_device_num(acc_device_default) == 0;
  ok &= acc_on_device(acc_device_host) && acc_on_device(acc_device_none);
  ok &= !acc_on_device(acc_device_nvidia) && !acc_on_device(acc_device_not_host);
  return ok;
}

/* A new beginning: what was there is gone. */
static int starts(void) {
  acc_init(acc_device_default);
  acc_init_device(0, acc_device_default);
  acc_copyin(a, BYTES);
  acc_shutdown(acc_device_default);
  int ok = absent(a);
  acc_copyin(a, BYTES);
  acc_shutdown_device(0, acc_device_default);
  return ok && absent(a);
}

static int properties(void) {
  static const acc_device_t types[] = {acc_device_none, acc_device_default,  acc_device_host,
                                       acc_device_current, acc_device_not_host, acc_device_nvidia};
  int ok = 1;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (int number = -1; number < 3; number++)
      for (int property = -1; property < 9; property++) {
        const char *text = acc_get_property_string(number, types[t], property);
        ok &= text != NULL && text == acc_get_property_string(number, types[t], property);
        acc_get_property(number, types[t], property);
        int known = property >= acc_property_name && property <= acc_property_driver;
        int there = number == 0 && acc_get_num_devices(types[t]) > 0;
        if (text && known != 0 && there) ok &= *text != 0;
        if (text && (!known || !there)) ok &= *text == 0;
      }
  ok &= !strcmp(acc_get_property_string(0, acc_device_host, acc_property_name), "host");
  size_t memory = acc_get_property(0, acc_device_current, acc_property_memory);
  size_t left = acc_get_property(0, acc_device_current, acc_property_free_memory);
  void *block = acc_malloc(1 << 20);
  size_t less = acc_get_property(0, acc_device_current, acc_property_free_memory);
  acc_free(block);
  ok &= memory > 0 && left > 0 && left <= memory && less <= left - (1 << 20);
  ok &= acc_get_property(0, acc_device_current, acc_property_free_memory) >= left;
  ok &= acc_get_property(0, acc_device_current, acc_property_shared_memory_support) ==
        (size_t)!separate;
  return ok;
}

/* None of these is there but on NVIDIA's own. */
static int handles(void) {
  int ok = (acc_get_current_cuda_device() == NULL) == (acc_get_current_cuda_context() == NULL);
  void *stream = acc_get_cuda_stream(7);
  ok &= (stream == NULL) == (acc_get_current_cuda_context() == NULL);
  ok &= acc_set_cuda_stream(8, stream) == (stream != NULL);
  return ok && (stream == NULL || acc_get_cuda_stream(8) == stream);
}

static const struct {
  int (*holds)(void);
  const char *of;
} rows[] = {
    {copyin, "acc_copyin"},
    {create, "acc_create"},
    {present_or_copyin, "acc_present_or_copyin"},
    {present_or_create, "acc_present_or_create"},
    {pcopyin, "acc_pcopyin"},
    {pcreate, "acc_pcreate"},
    {copyin_async, "acc_copyin_async"},
    {create_async, "acc_create_async"},
    {copyout, "acc_copyout"},
    {delete_, "acc_delete"},
    {copyout_finalize, "acc_copyout_finalize"},
    {delete_finalize, "acc_delete_finalize"},
    {copyout_async, "acc_copyout_async"},
    {delete_async, "acc_delete_async"},
    {copyout_finalize_async, "acc_copyout_finalize_async"},
    {delete_finalize_async, "acc_delete_finalize_async"},
    {update_device, "acc_update_device"},
    {update_self, "acc_update_self"},
    {update_host, "acc_update_host"},
    {update_device_async, "acc_update_device_async"},
    {update_self_async, "acc_update_self_async"},
    {update_host_async, "acc_update_host_async"},
    {is_present, "acc_is_present"},
    {deviceptr, "acc_deviceptr"},
    {hostptr, "acc_hostptr"},
    {own_memory, "acc_malloc acc_free acc_memcpy_to_device acc_memcpy_from_device "
                 "acc_memcpy_device"},
    {own_memory_async, "acc_memcpy_to_device_async acc_memcpy_from_device_async "
                       "acc_memcpy_device_async"},
    {between, "acc_memcpy_d2d acc_memcpy_d2d_async"},
    {mapped, "acc_map_data acc_unmap_data"},
    {attach, "acc_attach acc_detach"},
    {detach_finalize, "acc_detach_finalize"},
    {attach_async, "acc_attach_async acc_detach_async"},
    {detach_finalize_async, "acc_detach_finalize_async"},
    {queues, "acc_async_test acc_async_test_all acc_wait acc_wait_async acc_wait_any acc_wait_all "
             "acc_wait_all_async acc_async_wait acc_async_wait_all acc_get_default_async "
             "acc_set_default_async"},
    {queues_of_a_device, "acc_async_test_device acc_async_test_all_device acc_wait_device "
                         "acc_wait_device_async acc_wait_any_device acc_wait_all_device "
                         "acc_wait_all_device_async"},
    {devices, "acc_get_num_devices acc_set_device_type acc_get_device_type acc_set_device_num "
              "acc_get_device_num acc_on_device"},
    {handles, "acc_get_current_cuda_device acc_get_current_cuda_context acc_get_cuda_stream "
              "acc_set_cuda_stream"},
    {properties, "acc_get_property acc_get_property_string"},
    {starts, "acc_init acc_init_device acc_shutdown acc_shutdown_device"},
};

int main(void) {
  int wrong = 0;
  separate = acc_get_device_type() != acc_device_host;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int ok = rows[i].holds();
    printf("%s %s\n", ok ? "ok" : "wrong", rows[i].of);
    fflush(stdout);
    wrong |= !ok;
  }
  return wrong;
}
