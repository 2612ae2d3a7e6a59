/* What depends on options: sizes, signs, constants, records. */
#include <stdio.h>
#include <wchar.h>

char c[4] = {1, 2, 3, 4};
int x[8];
enum E { A, B, C } e[4], beside[4];
enum S { M = -3, N = 200 } s[4];
struct P {
  double d;
  char a, b, pad[2];
  int h;
} p[4];
double y[4];
float third = 3;
wchar_t w[4] = L"abc";

int main(void) {
#pragma acc parallel loop copy(x, c, e, s, p, y)
  for (int i = 0; i < 4; i++) {
    c[i] = (char)(100 * i);
    x[i] = c[i];
    x[i + 4] = ('\xe9' > 0) + 2 * (c[i] > 50) + 10 * (int)sizeof(e[0]) + 100 * (int)sizeof(p[0]) +
               10000 * (int)sizeof(1.0) + 1000000 * (int)sizeof(L'x');
    e[i] = i % 2 ? C : B;
    s[i] = N;
    p[i].d = 1.0 / 3 * third;
    p[i].h = i;
    y[i] = 0.1 * 3;
  }
#pragma scop
  for (int i = 0; i < 4; i++) {
    x[i] += (int)w[i] + (c[i] < 0);
    y[i] += i > 2 ? 0.7 : 0.3;
  }
#pragma endscop
  for (int i = 0; i < 4; i++)
    printf("%d %d %d %d %d %d %.17g %.17g %d\n", c[i], x[i], x[i + 4], (int)e[i], (int)beside[i],
           (int)s[i], p[i].d, y[i], p[i].h);
  return 0;
}
