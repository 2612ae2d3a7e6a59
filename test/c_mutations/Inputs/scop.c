double lu(int n, double A[n][n], long *count)
{
  double last = 0, t;
  int i, j, k;
  unsigned long c = 0;
#pragma scop
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (j = n - 1; j >= i; j -= 2)
      A[i][j] += j % 3 + (i >> 1);
    t = A[i][i];
    last = t;
    c++;
  }
#pragma endscop
  *count = c;
  return last;
}
