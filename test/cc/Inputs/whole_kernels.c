/* Loops of regions that become kernels as a whole: scans, sweeps of several time steps, updates
 * of a factorization that wait, nests that are fused. Sums are printed with as many digits as any
 * order of them has. */
#include <stdio.h>
#include <stdlib.h>
#define N 5000
#define M 150
static float x[N], y[N], z[N]; static int xi[N], yi[N];
static double A[M][M], B[M][M], L[M][M];
static float R[40][300], P[40][300];
void scan_f(int n, float *restrict a, float *restrict b) {
  float s = 0;
  #pragma acc parallel
  for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; }
}
void scan_i(int n, int *restrict a, int *restrict b) {
  #pragma scop
  int s = 3;
  for (int i = 0; i < n; i++) { b[i] = s; s += a[i]; }
  #pragma endscop
}
void scan_mem(int n, int *a) {
  #pragma scop
  for (int i = 1; i < n; i++) a[i] += a[i-1];
  #pragma endscop
}
void scan_rows(int m, int n, float R[restrict m][n], float P[restrict m][n]) {
  #pragma acc parallel loop gang
  for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) { s += R[i][j]; P[i][j] = s; } }
}
void scan_seq(int n, int *restrict a, int *restrict b) {
  #pragma acc parallel copyin(a[0:n]) copy(b[0:n])
  {
  int s = 0;
  #pragma acc loop seq
  for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; }
  }
}
void jacobi(int t, int n, double A[restrict n][n], double B[restrict n][n]) {
  #pragma scop
  for (int k = 0; k < t; k++) {
    for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++) B[i][j] = 0.2*(A[i][j]+A[i-1][j]+A[i+1][j]+A[i][j-1]+A[i][j+1]);
    for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++) A[i][j] = 0.2*(B[i][j]+B[i-1][j]+B[i+1][j]+B[i][j-1]+B[i][j+1]);
  }
  #pragma endscop
}
void jacobi_back(int t, int n, double A[restrict n][n], double B[restrict n][n]) {
  #pragma acc kernels copy(A[0:n], B[0:n])
  for (int k = 0; k < t; k++) {
    for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++) B[i][j] = 0.2*(A[i][j]+A[i-1][j]+A[i+1][j]+A[i][j-1]+A[i][j+1]);
    for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++) A[i][j] = B[i][j];
  }
}
void lu(int n, double A[n][n]) {
  #pragma scop
  for (int k = 0; k < n; k++) {
    for (int i = k+1; i < n; i++) A[i][k] /= A[k][k];
    for (int i = k+1; i < n; i++) for (int j = k+1; j < n; j++) A[i][j] -= A[i][k]*A[k][j];
  }
  #pragma endscop
}
void chain(int n, float *restrict x, float *restrict y, float *restrict z) {
  #pragma acc kernels copyin(x[0:n]) copy(y[0:n], z[0:n])
  {
  for (int i = 0; i < n; i++) y[i] = x[i]*2;
  for (int i = 0; i < n; i++) z[i] = y[i]+1;
  for (int i = 0; i < n; i++) y[i] = z[i]*z[i];
  for (int i = 1; i < n; i++) z[i] = y[i-1]-x[i];
  }
}
double sum1(float *v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i]*(i%7+1.0); return s; }
double sumi(int *v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i]*(i%7+1.0); return s; }
int main(void) {
  for (int i = 0; i < N; i++) { x[i] = (i*37%101)/101.0f; xi[i] = i*31%17-5; }
  for (int i = 0; i < M*M; i++) { (&A[0][0])[i] = (i*37%101)/101.0; (&L[0][0])[i] = (i*31%97)/97.0 + (i%(M+1)==0)*50; }
  for (int i = 0; i < 40*300; i++) (&R[0][0])[i] = (i*37%101)/101.0f;
  scan_f(N,x,y); printf("scan_f %.4g\n", sum1(y,N));
  scan_i(N,xi,yi); printf("scan_i %.9g\n", sumi(yi,N));
  scan_mem(N,yi); printf("scan_mem %.9g\n", sumi(yi,N));
  scan_rows(40,300,R,P); printf("scan_rows %.5g\n", sum1(&P[0][0],40*300));
  scan_seq(N,xi,yi); printf("scan_seq %.9g\n", sumi(yi,N));
  jacobi(7,M,A,B); double s=0; for (int i=0;i<M*M;i++) s+=(&A[0][0])[i]*(i%5+1); printf("jacobi %.12g\n", s);
  jacobi_back(6,M,A,B); s=0; for (int i=0;i<M*M;i++) s+=(&A[0][0])[i]*(i%5+1)+(&B[0][0])[i]; printf("back %.12g\n", s);
  lu(M,L); s=0; for (int i=0;i<M*M;i++) s+=(&L[0][0])[i]*(i%5+1); printf("lu %.12g\n", s);
  chain(N,x,y,z); printf("chain %.6g %.6g\n", sum1(y,N), sum1(z,N));
}
