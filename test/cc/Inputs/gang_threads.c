/* What a gang's threads do together: combined values, arrays of its own, a factorization, work
 * of one thread between. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#define M 60
#define N 333
static float A[M][N], B[M][N], C[M][N], S[M]; static double L[50][20][20]; static int H[M];
void softmax(int m, int n, float A[restrict m][n], float B[restrict m][n]) {
  #pragma acc parallel loop gang copyin(A[0:m]) copy(B[0:m])
  for (int i = 0; i < m; i++) {
    float mx = A[i][0], s = 0;
    #pragma acc loop vector reduction(max:mx)
    for (int j = 0; j < n; j++) mx = fmaxf(mx, A[i][j]);
    #pragma acc loop vector reduction(+:s)
    for (int j = 0; j < n; j++) { B[i][j] = expf(A[i][j]-mx); s += B[i][j]; }
    #pragma acc loop vector
    for (int j = 0; j < n; j++) B[i][j] /= s;
  }
}
void rows(int m, int n, float A[restrict m][n], float *restrict S) {
  #pragma acc parallel loop gang num_gangs(7) vector_length(64) copyin(A[0:m]) copy(S[0:m])
  for (int i = 0; i < m; i++) {
    float s = 0;
    #pragma acc loop vector reduction(+:s)
    for (int j = 0; j < n; j++) s += A[i][j];
    S[i] = s;
  }
}
void chol(int b, double L[restrict b][20][20]) {
  #pragma acc parallel loop gang copy(L[0:b])
  for (int p = 0; p < b; p++) {
    #pragma acc loop seq
    for (int k = 0; k < 20; k++) {
      L[p][k][k] = sqrt(L[p][k][k]);
      #pragma acc loop vector
      for (int i = k+1; i < 20; i++) L[p][i][k] /= L[p][k][k];
      #pragma acc loop vector
      for (int i = k+1; i < 20; i++) 
        for (int j = k+1; j <= i; j++) L[p][i][j] -= L[p][i][k]*L[p][j][k];
    }
  }
}
void priv(int m, int n, float A[restrict m][n], float C[restrict m][n]) {
  float t[400];
  #pragma acc parallel loop gang private(t) copyin(A[0:m]) copy(C[0:m])
  for (int i = 0; i < m; i++) {
    #pragma acc loop vector
    for (int j = 0; j < n; j++) t[j] = A[i][j]*2;
    #pragma acc loop vector
    for (int j = 0; j < n; j++) C[i][j] = t[n-1-j] + (j ? t[j-1] : 0);
  }
}
void worker(int m, int n, float A[restrict m][n], float C[restrict m][n], float *S) {
  #pragma acc parallel loop gang copyin(A[0:m]) copy(C[0:m], S[0:m])
  for (int i = 0; i < m; i += 4) {
    #pragma acc loop worker
    for (int k = i; k < i+4; k++) {
      float s = 1;
      #pragma acc loop vector reduction(+:s)
      for (int j = 0; j < n; j++) s += A[k][j];
      #pragma acc loop vector
      for (int j = 0; j < n; j++) C[k][j] = A[k][j]/s;
      S[k] += s;
    }
  }
}
void hist(int m, int n, float A[restrict m][n], int *H) {
  #pragma acc parallel loop gang copyin(A[0:m]) copy(H[0:m])
  for (int i = 0; i < m; i++) {
    int c = 0, d = 0;
    #pragma acc loop vector reduction(+:c) reduction(max:d)
    for (int j = 0; j < n; j++) { int q = (int)(A[i][j]*100); c += q > 30; d = d > q ? d : q; }
    if (c > 10) {
      #pragma acc loop vector
      for (int j = 0; j < n; j++) if (A[i][j] > 0.5f) {
        #pragma acc atomic update
        H[(j*7)%m] += 1;
      }
    }
    #pragma acc atomic update
    H[i] += c*1000+d;
  }
}
/* What all threads read at the end of a step the next one writes. */
void steps(int m, int n, float A[restrict m][n], float C[restrict m][n], float *restrict S) {
  #pragma acc parallel loop gang copyin(A[0:m]) copy(C[0:m], S[0:m])
  for (int i = 0; i < m; i++) {
    float s = 0;
    #pragma acc loop seq
    for (int k = 0; k < 5; k++) {
      #pragma acc loop vector
      for (int j = 0; j < n; j++) C[i][j] = A[i][j] * (k + 1);
      s += C[i][(k * 77 + 5) % n];
    }
    S[i] = s;
  }
}
double sf(float *v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i]*(i%7+1.0); return s; }
int main(void) {
  for (int i = 0; i < M*N; i++) (&A[0][0])[i] = (i*37%101)/101.0f;
  for (int p = 0; p < 50; p++) for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) L[p][i][j] = (i==j)*30 + ((i+j)*(p+3)%11)/11.0;
  softmax(M,N,A,B); printf("softmax %.5g\n", sf(&B[0][0],M*N));
  rows(M,N,A,S); printf("rows %.5g\n", sf(S,M));
  chol(50,L); double s=0; for (int i=0;i<20000;i++) s+=(&L[0][0][0])[i]*(i%5+1); printf("chol %.11g\n", s);
  priv(M,N,A,C); printf("priv %.6g\n", sf(&C[0][0],M*N));
  worker(M,N,A,C,S); printf("worker %.5g %.5g\n", sf(&C[0][0],M*N), sf(S,M));
  steps(M,N,A,C,S); printf("steps %.6g %.6g\n", sf(&C[0][0],M*N), sf(S,M));
  hist(0,N,A,H); hist(M,N,A,H); long h=0; for (int i=0;i<M;i++) h+=H[i]*(long)(i%7+1); printf("hist %ld\n", h);
}
