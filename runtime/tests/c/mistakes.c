/* Calls of the runtime that cannot be right: each ends the program with a message. */
#include <stdio.h>
#include <string.h>

#include "openacc.h"
#include "terrace.h"

static int nothing(unsigned long long *words) {
  (void)words;
  return 0;
}

static int fails(unsigned long long *words) {
  (void)words;
  return 1;
}

int main(int argc, char **argv) {
  const char *mistake = argc > 1 ? argv[1] : "";
  struct terrace_region region = {TERRACE_ABI, 0, "f.region0", "m.c", 3, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  if (!strcmp(mistake, "type")) acc_set_device_type((acc_device_t)99);
  if (!strcmp(mistake, "queue")) acc_set_default_async(-9);
  if (!strcmp(mistake, "null")) terrace_run(0, 1, 0, TERRACE_SYNC);
  if (!strcmp(mistake, "code")) terrace_run(&region, 1, 0, TERRACE_SYNC);
  region.cpu = fails;
  if (!strcmp(mistake, "check")) terrace_run(&region, 1, 0, TERRACE_SYNC);
  region.gpu = nothing;
  if (!strcmp(mistake, "gpu")) terrace_run(&region, 2, 0, TERRACE_SYNC);
  if (!strcmp(mistake, "open")) acc_init(acc_device_nvidia);
  puts("on");
  return 0;
}
