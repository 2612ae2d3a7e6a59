/* Threads with a queue each; with `wild` the kernel of one faults while the others go on. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000
#define THREADS 4

static double a[THREADS][N];
static long at[N];
static int wild;

static void work(double *restrict mine, int rounds, int queue) {
#pragma acc data copy(mine[0:N])
  {
    for (int r = 0; r < rounds; r++) {
#pragma acc parallel loop async(queue) present(mine[0:N])
      for (int i = 0; i < N; i++) mine[i] += 1;
    }
#pragma acc wait(queue)
  }
}

static void break_down(double *restrict mine, int queue) {
#pragma acc parallel loop async(queue) copy(mine[0:N]) copyin(at)
  for (int i = 0; i < N; i++) mine[at[i]] += 1;
#pragma acc wait(queue)
}

static void *thread(void *argument) {
  int me = *(int *)argument;
  for (int r = 0; r < 20; r++) {
    work(a[me], 10, me);
    if (wild && me == 0 && r == 10) break_down(a[me], me);
  }
  return 0;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  double sum = 0;
  (void)argv;
  wild = argc > 1;
  for (int i = 0; i < N; i++) at[i] = i;
  at[7] = 1L << 40;
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], 0, thread, &numbers[i])) return 2;
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < N; i++) sum += a[t][i];
  printf("%.0f\n", sum);
  return 0;
}
