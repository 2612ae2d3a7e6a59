/* Threads that share the present table of a device: arrays of all and of each, which come
   and go. `threads ROUNDS` prints `ok`, or what is wrong. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "openacc.h"
#include "terrace.h"

enum { THREADS = 8, N = 512 };

static double held[N], shared[N];
static void *device_of_held;
static int rounds, wrong;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void expect(int ok, const char *what, int thread, int round) {
  if (!ok) {
    pthread_mutex_lock(&mutex);
    if (!wrong) printf("wrong: %s, thread %d, round %d\n", what, thread, round);
    wrong = 1;
    pthread_mutex_unlock(&mutex);
  }
}

static void *work(void *argument) {
  int me = *(int *)argument, i, r;
  double *own = malloc(N * sizeof *own), *other = malloc(N * sizeof *other);
  double *pointer = held + me;
  acc_set_default_async(me);
  for (r = 0; r < rounds && !wrong; r++) {
    int queue = r % 3 ? acc_async_noval : acc_async_sync;
    /* An array that is always there: its place is the same for all. */
    expect(acc_copyin_async(held, sizeof held, queue) == device_of_held, "a place", me, r);
    expect(acc_deviceptr(pointer) == (double *)device_of_held + me, "an address", me, r);
    expect(acc_hostptr((double *)device_of_held + me) == pointer, "a host address", me, r);
    expect(acc_is_present(pointer, 8), "not there", me, r);
    if (r % 5 == 0) acc_update_device_async(pointer, 8, queue);
    acc_delete_async(held, sizeof held, queue);

    /* One that is there as long as somebody wants it. */
    acc_copyin(shared, sizeof shared);
    expect(acc_is_present(shared, sizeof shared), "shared is not there", me, r);
    acc_memcpy_from_device(other, acc_deviceptr(shared), sizeof shared);
    for (i = 0; i < N; i++) expect(other[i] == i, "shared has another value", me, r);
    acc_delete(shared, sizeof shared);

    /* One of its own, by data clauses, by hand, and mapped. */
    for (i = 0; i < N; i++) own[i] = me * 1000 + r;
    struct terrace_map map = {own, N * 8, TERRACE_COPY, 0, "own", 0};
    terrace_data_enter(&map, 1, TERRACE_NOVAL, "threads.c", 53);
    acc_memcpy_device_async(map.device, (char *)map.device + N * 4, N * 4, acc_async_noval);
    for (i = 0; i < N / 2; i++) own[i] = -1;
    terrace_data_exit(&map, 1, TERRACE_NOVAL, "threads.c", 56);
    acc_wait(acc_async_noval);
    for (i = 0; i < N; i++) expect(own[i] == me * 1000 + r, "own has another value", me, r);
    void *memory = acc_malloc(N * 8);
    acc_map_data(own, memory, N * 8);
    acc_update_device(own, N * 8);
    expect(acc_deviceptr(own) == memory, "not where it was mapped", me, r);
    for (i = 0; i < N; i++) own[i] = 0;
    acc_update_self(own, N * 8);
    expect(own[N - 1] == me * 1000 + r, "what was mapped has another value", me, r);
    acc_unmap_data(own);
    acc_free(memory);
    expect(!acc_is_present(own, 8), "own is still there", me, r);
  }
  acc_wait(me);
  free(own);
  free(other);
  return 0;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int numbers[THREADS], i;
  rounds = argc > 1 ? atoi(argv[1]) : 10;
  if (!terrace_on_device()) {
    printf("no GPU\n");
    return 0;
  }
  for (i = 0; i < N; i++) shared[i] = held[i] = i;
  device_of_held = acc_copyin(held, sizeof held);
  for (i = 0; i < THREADS; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], 0, work, &numbers[i])) return 2;
  }
  for (i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  expect(acc_is_present(held, sizeof held), "held is gone", -1, 0);
  expect(!acc_is_present(shared, 8), "shared is still there", -1, 0);
  acc_copyout(held, sizeof held);
  for (i = 0; i < N; i++) expect(held[i] == i, "held has another value", -1, 0);
  expect(!acc_is_present(held, 8), "held is still there", -1, 0);
  acc_shutdown(acc_device_default);
  if (!wrong) printf("ok\n");
  return wrong;
}
