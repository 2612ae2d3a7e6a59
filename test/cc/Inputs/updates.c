/* Updates of elements that iterations of a parallel loop may have in common, by every kind of
   subscript and operation: none is lost. */
#include <math.h>
#include <stdio.h>
#define N 4096

static int d[N];

int main(void) {
  int twice[16] = {0}, masked[16] = {0}, rest[16] = {0}, part[16] = {0}, found[16] = {0};
  int both[16] = {0}, bits[16] = {0}, mixed[16] = {0}, counter[1] = {0};
  unsigned product[16];
  signed char narrow[16] = {0};
  short half[16] = {0};
  float single[16] = {0};
  double sum[16] = {0}, top[16] = {0};
  for (int i = 0; i < 16; i++) product[i] = 1;
  for (int i = 0; i < N; i++) d[i] = (i * 7) & 15;

#pragma acc parallel loop
  for (int i = 0; i < N; i++) twice[(2 * i) & 15] += 1;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) masked[i & 15] += i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) rest[i % 16] -= i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) part[i / 256]++;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) found[d[i]]++;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) both[d[i]] = both[d[i]] + i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) bits[d[i]] ^= i;
#pragma acc kernels loop independent
  for (int i = 0; i < N; i++) product[d[i]] *= 2u * i + 1;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) {
    int k = d[i];
    if (i & 1)
      mixed[k] += 2;
    else
      mixed[d[i]]++;
  }
#pragma acc parallel loop
  for (int i = 0; i < N; i++) counter[0] += i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) narrow[d[i]]++;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) half[d[i]] -= 3;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) single[d[i]] += 0.5f;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) sum[d[i]] -= i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) top[d[i]] = fmax(top[d[i]], i);

  for (int i = 0; i < 16; i++)
    printf("%d %d %d %d %d %d %d %u %d %d %d %g %g %g\n", twice[i], masked[i], rest[i], part[i],
           found[i], both[i], bits[i], product[i], mixed[i], narrow[i], half[i], single[i], sum[i],
           top[i]);
  printf("%d\n", counter[0]);
  return 0;
}
