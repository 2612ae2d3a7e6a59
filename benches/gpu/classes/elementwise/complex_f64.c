/* Product of complex numbers whose parts lie in arrays of their own, and its magnitude.
size check n=3001
size main n=1<<25
size odd n=10000019
out cr ci mag
*/
#include <math.h>

void kernel(int n, const double ar[restrict n], const double ai[restrict n], const double br[restrict n],
            const double bi[restrict n], double cr[restrict n], double ci[restrict n], double mag[restrict n]) {
  //@ nest 1
  for (int i = 0; i < n; i++) {
    cr[i] = ar[i] * br[i] - ai[i] * bi[i];
    ci[i] = ar[i] * bi[i] + ai[i] * br[i];
  }
  //@ nest 1
  for (int i = 0; i < n; i++) mag[i] = sqrt(cr[i] * cr[i] + ci[i] * ci[i]);
}
