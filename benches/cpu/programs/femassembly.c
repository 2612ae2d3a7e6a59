/* Linear triangles: element stiffness matrices added into a CSR matrix, then some smoothing with it. */
#include "bench.h"

#define SIDE 120
#define NODES (SIDE * SIDE)
#define ELEMENTS (2 * (SIDE - 1) * (SIDE - 1))
#define MAXROW 8

double xy[NODES][2];
int tri[ELEMENTS][3];
int rowptr[NODES + 1], col[NODES * MAXROW];
double val[NODES * MAXROW], load[NODES], u[NODES], next[NODES], kappa[ELEMENTS];

void insert(int lists[][MAXROW], int *len, int a, int b) {
  int p = len[a];
  for (int i = 0; i < len[a]; i++)
    if (lists[a][i] == b) return;
  while (p > 0 && lists[a][p - 1] > b) {
    lists[a][p] = lists[a][p - 1];
    p--;
  }
  lists[a][p] = b;
  len[a]++;
}

void pattern(void) {
  static int lists[NODES][MAXROW], len[NODES];
  for (int e = 0; e < ELEMENTS; e++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) insert(lists, len, tri[e][i], tri[e][j]);
  for (int n = 0; n < NODES; n++) {
    rowptr[n + 1] = rowptr[n] + len[n];
    for (int i = 0; i < len[n]; i++) col[rowptr[n] + i] = lists[n][i];
  }
}

void assemble(void) {
  for (int k = 0; k < rowptr[NODES]; k++) val[k] = 0;
  for (int n = 0; n < NODES; n++) load[n] = 0;
  for (int e = 0; e < ELEMENTS; e++) {
    double b[3], c[3], area2;
    for (int i = 0; i < 3; i++) {
      int p = tri[e][(i + 1) % 3], q = tri[e][(i + 2) % 3];
      b[i] = xy[p][1] - xy[q][1];
      c[i] = xy[q][0] - xy[p][0];
    }
    area2 = c[2] * b[1] - c[1] * b[2];
    for (int i = 0; i < 3; i++) {
      int row = tri[e][i];
      load[row] += area2 / 6;
      for (int j = 0; j < 3; j++) {
        double ke = kappa[e] * (b[i] * b[j] + c[i] * c[j]) / (2 * area2);
        for (int k = rowptr[row]; k < rowptr[row + 1]; k++)
          if (col[k] == tri[e][j]) {
            val[k] += ke;
            break;
          }
      }
    }
  }
}

void smooth(int sweeps) {
  for (int s = 0; s < sweeps; s++) {
    for (int n = 0; n < NODES; n++) {
      double sum = load[n], d = 1;
      for (int k = rowptr[n]; k < rowptr[n + 1]; k++) {
        if (col[k] == n)
          d = val[k];
        else
          sum -= val[k] * u[col[k]];
      }
      int i = n % SIDE, j = n / SIDE;
      next[n] = i == 0 || j == 0 || i == SIDE - 1 || j == SIDE - 1 ? 0 : sum / d;
    }
    for (int n = 0; n < NODES; n++) u[n] = next[n];
  }
}

int main(void) {
  for (int n = 0; n < NODES; n++)
    for (int d = 0; d < 2; d++) xy[n][d] = ((d ? n / SIDE : n % SIDE) + 0.3 * bench_random(1 + d, n)) / SIDE;
  int e = 0;
  for (int j = 0; j < SIDE - 1; j++)
    for (int i = 0; i < SIDE - 1; i++) {
      int a = j * SIDE + i, b = a + 1, c = a + SIDE, d = c + 1;
      int quad[2][3] = {{a, b, c}, {b, d, c}};
      for (int t = 0; t < 2; t++, e++)
        for (int i2 = 0; i2 < 3; i2++) tri[e][i2] = quad[t][i2];
    }
  pattern();
  bench_start();
  for (int r = 0; r < 16; r++) {
    for (int k = 0; k < ELEMENTS; k++) kappa[k] = 1 + 0.5 * sin(0.01 * k + r) + 10 * u[tri[k][0]];
    assemble();
    smooth(30);
  }
  bench_stop();
  double s = 0, m = 0;
  for (int n = 0; n < NODES; n++) {
    s += u[n];
    if (u[n] > m) m = u[n];
  }
  printf("check femassembly %d %.10g %.10g\n", rowptr[NODES], s, m);
  return 0;
}
