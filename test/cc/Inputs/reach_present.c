/* Arrays without a clause whose accesses may reach into data that is on the device. */
#include <stdio.h>
#include <stdlib.h>

#define N 16

/* Under a condition: as far as is known all of q[0..1500]. */
static void read(int n, const int *use, long *x, const long *q) {
#pragma acc parallel loop present(x[0:n])
  for (int i = 0; i < n; i++)
    if (use[i]) x[i] += q[100 * i];
}
static void write(int n, const int *use, const long *x, long *q) {
#pragma acc kernels
  for (int i = 0; i < n; i++)
    if (use[i]) q[100 * i] += x[i];
}
/* q[0] is surely used. */
static void surely(int n, const int *use, const long *x, long *q) {
#pragma acc kernels
  {
    q[0] += 1;
    for (int i = 1; i < n; i++)
      if (use[i]) q[100 * i] += x[i];
  }
}

int main(void) {
  /* One block, so that what is next to what does not depend on luck. */
  static long block[2000];
  long *q = block, *x = block + 10, *far = block + 200;
  int use[N] = {1};
  for (int i = 0; i < 2000; i++) block[i] = i % 71;

  /* q is before x, which is on the device, and may reach into it. */
#pragma acc data copy(x[0:N])
  {
    read(N, use, x, q);
    q[0] = 1000;
    read(N, use, x, q);
  }
  printf("%ld %ld %ld\n", q[0], x[0], x[1]);

  /* q itself is on the device; what regions make of it comes from there at the end. */
#pragma acc data copy(q[0:10]) copy(far[0:10])
  {
    write(N, use, x, q);
    surely(N, use, x, q);
#pragma acc parallel loop present(q[0:10])
    for (int i = 0; i < 10; i++) q[i] += 3;
    write(N, use, x, q);
  }
  for (int i = 0; i < 10; i++) printf("%ld ", q[i]);
  long sum = 0;
  for (int i = 10; i < 2000; i++) sum = (sum * 7 + block[i]) % 1000003;
  printf("%ld\n", sum);
  return 0;
}
