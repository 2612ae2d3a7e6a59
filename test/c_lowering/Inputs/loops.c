/* Loops of all kinds. n is made small. */
int up(int n) { int i, s = 0; n &= 31; for (i = 0; i < n; i++) s += i * i; return s * 100 + i; }
int up_from(int a, int n) { int s = 0; n &= 31; a &= 15; for (int i = a; i <= n; ++i) s += i; return s; }
int up_by(int a, int n) { int i, s = 0; n &= 63; a &= 7; for (i = a; i < n; i += 3) s = s * 3 + i; return s + i; }
int down(int n) { int i, s = 1; n &= 31; for (i = n; i > 0; i--) s = s * 3 + i; return s * 10 + i; }
int down_to(int a, int n) { int i, s = 1; n &= 31; a &= 7; for (i = n; i >= a; --i) s = s * 3 + i; return s * 10 + i; }
int down_by(int n) { int i, s = 1; n &= 63; for (i = n; i > 2; i -= 4) s = s * 3 + i; return s * 100 + i; }
int different(int n) { int i, s = 0; n &= 31; for (i = 0; i != n; i++) s += i; return s + i; }
int turned(int n) { int s = 0; n &= 31; for (int i = 0; n > i; i++) s += i; return s; }
int plus_assigned(int n) { int s = 0; n &= 31; for (int i = 1; i < n; i = i + 2) s = s * 5 + i; return s; }
int two_tests(int n, int m) { int i, s = 0; n &= 31; m &= 31; for (i = 0; i < n && i < m; i++) s += i + 1; return s * 64 + i; }
int minimum(int n, int m) { int i, s = 0; n &= 31; m &= 31; for (i = n > 4 ? 4 : n; i < (n < m ? n : m); i++) s += i + 1; return s * 64 + i; }
int triangle(int n) { int i, j, s = 0; n &= 15; for (i = 0; i < n; i++) for (j = i; j < n; j++) s = s * 7 + i * j; return s + i + j * n; }
int nested_down(int n) { int s = 0; n &= 15; for (int i = n - 1; i >= 0; i--) for (int j = 0; j <= i; j++) s = s * 7 + i - j; return s; }
unsigned unsigned_up(unsigned n) { unsigned s = 0; n &= 31; for (unsigned i = 0; i < n; i++) s += i * 3; return s; }
unsigned unsigned_down(unsigned n) { unsigned i, s = 0; n &= 31; for (i = n; i > 0; i--) s = s * 3 + i; return s + i; }
unsigned long sized(unsigned long n) { unsigned long s = 0; n &= 31; for (unsigned long i = 0; i < n; i++) for (unsigned long j = i + 1; j < n; j++) s += i * j; return s; }
unsigned long wrapped_down(unsigned long n) { unsigned long s = 0; n &= 31; for (unsigned long i = n - 1; i < n; i--) s = s * 3 + i; return s; }
unsigned post_down(unsigned n) { unsigned s = 0; n &= 31; while (n--) s = s * 3 + n; return s + n; }
int mixed_bound(int n) { int s = 0; unsigned m = n & 15; for (int i = 0; i < m; i++) s += i; return s; }
int negative_start(int n) { int s = 0; unsigned m = n & 15; for (int i = -1; i < m; i++) s += 3; return s; }
int long_bound(long n) { int s = 0; n &= 31; for (int i = 0; i < n; i++) s += i; return s; }
int narrow_counter(int n) { int s = 0; for (unsigned char c = n & 7; c < 200; c += 50) s = s * 3 + c; return s; }
int changed_bound(int n) { int s = 0; n &= 15; for (int i = 0; i < n; i++) { s += n; if (n > 3) n--; } return s; }
int changed_counter(int n) { int i, s = 0; n &= 63; for (i = 0; i < n; i++) { if (i == 5) i = 9; s += i; } return s + i; }
int breaks(int n) { int i, s = 0; for (i = 0; i < 20; i++) { if (i == (n & 31)) break; s += i; if (s > 50) break; s++; } return s * 100 + i; }
int continues(int n) { int s = 0; for (int i = 0; i < 20; i++) { if (i % 3 == 0) continue; s += i; if (i == (n & 15)) continue; s *= 2; s %= 1000; } return s; }
int returns(int n) { for (int i = 0; i < 20; i++) { for (int j = 0; j < i; j++) if (i * j == (n & 63)) return i * 100 + j; if (i == 15) return -1; } return -2; }
int both(int n) { int s = 0; for (int i = 0; i < 9; i++) { int j = 0; while (1) { if (++j > i) break; if (j == 3) continue; if (s > 90) return s; s += j * (n & 3); } } return s - 1; }
int whiles(int n) { int s = 0; n &= 0xffff; while (n > 0) { s += n % 10; n /= 10; } return s; }
int dos(int n) { int s = 0; n &= 31; do { s += n; n -= 3; } while (n > 0); return s * 100 + n; }
int do_breaks(int n) { int s = 0; n &= 31; do { if (n == 6) break; if (n & 1) continue; s += n; } while (n-- > 0); return s * 100 + n; }
int forever(int n) { int s = 0; n &= 15; for (;;) { if (s >= n) break; s += 2; } return s; }
int empty_body(int n) { int i; n &= 31; for (i = 0; i < n; i++); return i; }
int commas(int n) { int i, j, s = 0; n &= 31; for (i = 0, j = n; i < j; i++, j--) s += i * j; return s * 64 + i - j; }
int comma_walk(int n) { int i, j, s = 0; n &= 31; for (i = 0, j = 7; i < n; i++, j += 2) s += i * j; return s + j; }
int collatz(int n) { int c = 0; n = (n & 255) + 1; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; c++; } return c; }
int switches(int a) { int r = 0; switch (a & 7) { case 0: r = 10; break; case 1: case 2: r = 20; case 3: r += 3; break; default: r = -1; case 6: r += 100; break; case 7: return 77; } return r * 2; }
int switch_in_loop(int n) { int s = 0; for (int i = 0; i < 12; i++) { switch ((i + n) & 3) { case 0: continue; case 1: if (i > 6) break; s += 5; case 2: s++; break; } s *= 2; s &= 0xfff; } return s; }
int switch_long(long a) { switch (a) { case 1L << 33: return 1; case -1: return 2; case 0: { int k = 3; return k; } } return 4; }
int last_value(int n) { int t = -1; n &= 7; for (int i = 0; i < n; i++) t = i * 2; return t; }
int fibonacci(int n) { int a = 0, b = 1; n &= 31; for (int i = 0; i < n; i++) { int t = a + b; a = b; b = t; } return a; }
int if_chain(int a, int b) { int r; if (a > 10) r = 1; else if (a > b) { r = 2; b++; } else if (b & 1) r = 3; else r = b; return r + b; }
int early(int a) { if (a > 0) { if (a > 100) return 1; a++; } else return 2; return a; }
static int helper(int a, int b) { if (a > b) return a - b; for (int i = 0; i < 3; i++) { a += i; if (a == b) return 5; } return a; }
int calls(int a, int b) { return helper(a & 15, b & 15) * 10 + helper(b & 7, 3); }
static int recursive(int n) { return n <= 1 ? 1 : n * recursive(n - 1); }
int factorial(int n) { return recursive(n & 7); }
