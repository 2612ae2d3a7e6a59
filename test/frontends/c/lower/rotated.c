// Values that an iteration hands on to the next in another place, and of which each ends in an element.
//
// RUN: terrace cc --auto -ta=multicore -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: rotated:
// CHECK-NOT: panicked
// CHECK: the loop over i runs in order: each iteration needs the value of a from the one before
void rotated(unsigned *restrict out, const unsigned *restrict in, long n) {
  for (long m = 0; m < n; m++) {
    unsigned a = 1, b = 2, c = 3, d = 4;
    for (int i = 0; i < 64; i++) {
      unsigned f = (b & c) | (~b & d);
      f += a + in[16 * m + (i & 15)];
      a = d;
      d = c;
      c = b;
      b += f << 7 | f >> 25;
    }
    out[4 * m] = 5 + a;
    out[4 * m + 1] = 6 + b;
    out[4 * m + 2] = 7 + c;
    out[4 * m + 3] = 8 + d;
  }
}
