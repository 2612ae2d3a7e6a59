/* The logarithm of softmax of each row; f64.
size check m=13 n=130
size main m=8192 n=2048
size odd m=3001 n=3333
out b
sums
*/
#include <math.h>

void kernel(int m, int n, const double a[restrict m][n], double b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    double top = a[i][0];
    //@ inner reduction(max:top)
    for (int j = 1; j < n; j++) top = fmax(top, a[i][j]);
    double sum = 0;
    //@ inner reduction(+:sum)
    for (int j = 0; j < n; j++) sum += exp(a[i][j] - top);
    double shift = top + log(sum);
    //@ inner
    for (int j = 0; j < n; j++) b[i][j] = a[i][j] - shift;
  }
}
