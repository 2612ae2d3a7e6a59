/* Declarations and the end of a block directly behind a label, as C23 has it. */
#include <stdio.h>

typedef int number;
static int a[6], b[6];

int main(void) {
#pragma acc parallel loop
  for (int i = 0; i < 6; i++) {
    switch (i) {
    case 1:
      int x = 3;
      a[i] = x;
      break;
    case 1 > 2 ? 7 : 2: enum { Q = 9 };
      a[i] = Q;
      break;
    default:
      struct {
        int k;
      } s = {5};
      a[i] = s.k;
      __attribute__((fallthrough));
    case 4:
      _Static_assert(1, "");
    case 3:
    {
      number y = 2;
      a[i] += y;
    }
    }
    switch (i) {
    case 5:
      number z = i;
      b[i] = z;
    default:
    }
  }
  for (int i = 0; i < 6; i++)
    printf("%d %d ", a[i], b[i]);
  printf("\n");
  return 0;
}
