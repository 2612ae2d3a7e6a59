/* Layer norm of each row, with a scale and a shift for each column.
size check m=13 n=130
size main m=8192 n=4096
size short m=1<<19 n=64
size long m=50 n=1000000
size odd m=10007 n=769
size small m=32 n=512
out b
sums
bytes_long 4*(3*m*n)
*/
#include <math.h>

void kernel(int m, int n, const float a[restrict m][n], const float gamma[restrict n], const float beta[restrict n],
            float b[restrict m][n]) {
  //@ nest 1
  for (int i = 0; i < m; i++) {
    float sum = 0;
    //@ inner reduction(+:sum)
    for (int j = 0; j < n; j++) sum += a[i][j];
    float mean = sum / n, square = 0;
    //@ inner reduction(+:square)
    for (int j = 0; j < n; j++) {
      float d = a[i][j] - mean;
      square += d * d;
    }
    float scale = 1 / sqrtf(square / n + 1e-5f);
    //@ inner
    for (int j = 0; j < n; j++) b[i][j] = (a[i][j] - mean) * scale * gamma[j] + beta[j];
  }
}
