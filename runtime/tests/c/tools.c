/* Callbacks of OpenACC's interface for tools. */
#include <stdio.h>

#include "acc_prof.h"
#include "terrace.h"

static int a[10], told[64], count, muted;
static char said[100];

static void callback(acc_prof_info *info, acc_event_info *event, acc_api_info *api) {
  if (muted) printf("told of %d though it is switched off\n", info->event_type);
  if (info->event_type != event->event_type || api->device_api != acc_device_api_cuda) return;
  if (count < 64) told[count++] = info->event_type;
  if (info->event_type == acc_ev_create)
    snprintf(said, sizeof said, "%s %zu bytes, %s:%d, version %d\n", event->data_event.var_name,
             event->data_event.bytes, info->src_file, info->line_no, info->version);
  /* What is left at a start comes back at its end. */
  if (info->event_type == acc_ev_enter_data_start) event->other_event.tool_info = a;
  if (info->event_type == acc_ev_enter_data_end && event->other_event.tool_info != a) puts("lost");
}

void acc_register_library(acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup) {
  for (int e = acc_ev_none + 1; e < acc_ev_wait_start; e++)
    if (e != acc_ev_runtime_shutdown) reg((acc_event_t)e, callback, acc_reg);
  reg(acc_ev_wait_start, callback, acc_reg);
  unreg(acc_ev_wait_start, callback, acc_reg);
  if (!lookup("acc_prof_register") || lookup("acc_prof_nothing")) puts("not found");
}

int main(void) {
  struct terrace_map in = {a, sizeof a, TERRACE_COPYIN, TERRACE_DYNAMIC, "a", 0};
  terrace_data_enter(&in, 1, TERRACE_SYNC, "tools.c", 7);
  acc_copyout(a, sizeof a);
  for (int i = 0; i < count; i++) printf(i ? " %d" : "%d", told[i]);
  printf("\n%s", said);
  muted = 1;
  acc_prof_unregister(acc_ev_none, NULL, acc_toggle);
  acc_copyin(a, sizeof a);
  acc_prof_register(acc_ev_none, NULL, acc_toggle);
  acc_prof_unregister(acc_ev_none, NULL, acc_toggle_per_thread);
  acc_delete(a, sizeof a);
  puts("after a switch: none");
  return 0;
}
