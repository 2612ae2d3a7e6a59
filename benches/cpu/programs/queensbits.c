/* N queens with bit sets, half the board by symmetry; also the solutions by the first column. */
#include "bench.h"

static unsigned full;
static long nodes;

static long place(unsigned columns, unsigned left, unsigned right) {
  long found = 0;
  nodes++;
  if (columns == full) return 1;
  for (unsigned open = full & ~(columns | left | right); open; open &= open - 1) {
    unsigned bit = open & -open;
    found += place(columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

/* The same without recursion, a stack of the open places of each row. */
static long place_stack(int n, int first) {
  unsigned open[32], cols[32], dl[32], dr[32];
  int row = 1;
  long found = 0;
  cols[1] = 1u << first;
  dl[1] = cols[1] << 1;
  dr[1] = cols[1] >> 1;
  open[1] = full & ~(cols[1] | dl[1] | dr[1]);
  while (row > 0) {
    if (!open[row]) {
      row--;
      continue;
    }
    unsigned bit = open[row] & -open[row];
    open[row] ^= bit;
    if (row == n - 1) {
      found++;
      continue;
    }
    cols[row + 1] = cols[row] | bit;
    dl[row + 1] = (dl[row] | bit) << 1;
    dr[row + 1] = (dr[row] | bit) >> 1;
    row++;
    open[row] = full & ~(cols[row] | dl[row] | dr[row]);
  }
  return found;
}

int main(void) {
  long total = 0, mirrored = 0, mix = 0;
  bench_start();
  for (int n = 4; n <= 13; n++) {
    full = (1u << n) - 1;
    total += place(0, 0, 0);
    for (int f = 0; f < n; f++) {
      long c = place_stack(n, f);
      mix = mix * 3 % 1000003 + c * (f + 1);
      if (f < n / 2) mirrored += 2 * c;
      if (n % 2 && f == n / 2) mirrored += c;
    }
  }
  bench_stop();
  printf("check queensbits %ld %ld %ld %ld\n", total, mirrored, nodes, mix);
  return 0;
}
