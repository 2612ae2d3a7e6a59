/* Calls of openacc.h with what cannot be right on a device with memory of its own. */
#include <stdio.h>
#include <string.h>

#include "openacc.h"
#include "terrace.h"

static int a[10], b[10];
static void *p[2] = {a, b};

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  acc_copyin(a, sizeof a);
  int *own = acc_malloc(sizeof a), *small = acc_malloc(sizeof a / 2);
  if (!strcmp(what, "map-present")) acc_map_data(a, own, sizeof a);
  if (!strcmp(what, "map-null")) acc_map_data(b, NULL, sizeof b);
  if (!strcmp(what, "map-nothing")) acc_map_data(b, own, 0);
  if (!strcmp(what, "map-small")) acc_map_data(b, small, sizeof b);
  if (!strcmp(what, "map-twice")) acc_map_data(b, acc_deviceptr(a), sizeof b);
  if (!strcmp(what, "copyout-more")) acc_copyout(a, 2 * sizeof a);
  if (!strcmp(what, "delete-more")) acc_delete(a, 2 * sizeof a);
  if (!strcmp(what, "copyin-more")) acc_copyin(a - 1, sizeof a);
  if (!strcmp(what, "free-copy")) acc_free(acc_deviceptr(a));
  if (!strcmp(what, "free-inside")) acc_free(own + 1);
  if (!strcmp(what, "free-host")) acc_free(b);
  if (!strcmp(what, "free-twice")) acc_free(own), acc_free(own);
  if (!strcmp(what, "free-mapped")) acc_map_data(b, own, sizeof b), acc_free(own);
  if (!strcmp(what, "unmap-copyin")) acc_unmap_data(a);
  if (!strcmp(what, "unmap-absent")) acc_unmap_data(b);
  if (!strcmp(what, "unmap-held")) {
    struct terrace_map m = {b, sizeof b, TERRACE_PRESENT, 0, "b", 0};
    acc_map_data(b, own, sizeof b);
    terrace_data_enter(&m, 1, TERRACE_SYNC, "misuse.c", 1);
    acc_unmap_data(b);
  }
  if (!strcmp(what, "update-absent")) acc_update_device(b, sizeof b);
  if (!strcmp(what, "update-more")) acc_update_self(a, 2 * sizeof a);
  if (!strcmp(what, "copy-null")) acc_memcpy_to_device(own, NULL, sizeof a);
  if (!strcmp(what, "copy-to-null")) acc_memcpy_from_device(NULL, own, sizeof a);
  if (!strcmp(what, "between-null")) acc_memcpy_d2d(own, NULL, sizeof a, 0, 0);
  if (!strcmp(what, "type")) acc_get_property_string(0, (acc_device_t)99, acc_property_name);
  if (!strcmp(what, "map-again")) {
    acc_map_data(b, own, sizeof b);
    acc_map_data(b + 1, small, sizeof b / 2);
  }
  if (!strcmp(what, "unmap-again")) {
    acc_map_data(b, own, sizeof b);
    acc_unmap_data(b);
    acc_unmap_data(b);
  }
  if (!strcmp(what, "detach")) acc_copyin(p, sizeof p), acc_detach(&p[0]);
  if (!strcmp(what, "detach-more")) {
    acc_copyin(p, sizeof p);
    acc_attach(&p[0]);
    acc_detach(&p[0]);
    acc_detach(&p[0]);
  }
  if (!strcmp(what, "init-other")) acc_init(acc_device_nvidia), acc_init(acc_device_host);
  if (!strcmp(what, "radeon")) acc_set_device_type(acc_device_radeon);
  if (!strcmp(what, "stream")) acc_set_cuda_stream(acc_async_sync, own);
  /* The same type again, and another one after the first has ended. */
  acc_init(acc_device_nvidia);
  acc_init(acc_device_nvidia);
  acc_shutdown(acc_device_nvidia);
  acc_init(acc_device_host);
  acc_shutdown(acc_device_host);
  acc_copyin(p, sizeof p);
  acc_detach_finalize(&p[0]);
  acc_delete(p, sizeof p);
  if (acc_get_num_devices(acc_device_radeon)) return 1;
  /* What these do not find they leave alone. */
  acc_delete(b, sizeof b);
  acc_copyout(b, sizeof b);
  acc_attach(&p[0]);
  acc_detach(&p[1]);
  puts("on");
  return 0;
}
