/* Arrays, pointers, records. Arrays of arguments have 64 elements, rows of 8. */
static int table[4][3] = {{1, 2, 3}, {4, 5}, {[2] = 6}};
static const double weights[] = {0.5, -1.5, 2.25, 1e10};
int counter = 41;
static struct { int n; double x[2]; } state = {3, {1.5}};
void copy(int n, double *a, const double *b) { n &= 63; for (int i = 0; i < n; i++) a[i] = b[i] * 2; }
void stencil(int n, double *a, double *b) { n &= 63; for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i] + a[i + 1]; }
void linearised(int n, double *a) { n &= 7; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] += i - j; }
void rows(int n, double a[][8]) { n &= 7; for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) a[i][j] += a[j][i]; }
void row_pointer(int n, double (*a)[8]) { double *r = a[n & 7]; for (int i = 0; i < 8; i++) r[i] = i + r[7 - i]; }
double flat(double a[8][8]) { double s = 0, *p = &a[0][0]; for (int i = 0; i < 64; i++) s += p[i] * i; return s; }
double walk(int n, double *p) { double s = 0, *e = p + (n & 63); while (p < e) s = s * 0.5 + *p++; return s; }
double walk_down(int n, double *a) { double *p = a + (n & 63); double s = 0; while (p > a) s = s * 0.5 + *--p; return s; }
long difference(int n, int *a) { int *p = &a[n & 15], *q = a + 3; return p - q; }
void indirect(int n, int *idx, double *a) { n &= 63; for (int i = 0; i < n; i++) a[idx[i] & 63] += i; }
int halves(int n, int *a) { int s = 0; n &= 31; for (int i = 0; i < n; i++) s += a[i / 2] * a[2 * i + 1] + a[i % 5] + a[i >> 2] - a[i & 3]; return s; }
void local_array(int n, int *a) { int t[10] = {3, 1, [5] = 4}, u[4][2] = {{1}, {2, 3}}; for (int i = 0; i < 10; i++) a[i] = t[i] + u[i & 3][i & 1]; t[n & 7] = 9; a[11] = t[3]; }
int vla(int n) { n = (n & 7) + 1; int t[n][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) t[i][j] = i * j; int s = 0; for (int i = 0; i < n; i++) s += t[i][n - i]; return s; }
int strings(int n) { char s[] = "hello"; const unsigned char t[8] = "ab"; return s[n & 3] + t[1] * 2 + t[5] + sizeof s; }
int globals(int n) { counter += n & 3; int s = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) s += table[i][j] * (i + j); return s + counter; }
double constants(int n) { return weights[n & 3] + state.x[n & 1] + state.n; }
struct point { double x, y; int tag[2]; };
double records(int n) { struct point p = {1.5, 2}, q; q = p; q.y += n & 7; q.tag[1] = 4; p.tag[n & 1] = 5; return p.x + q.x * q.y + q.tag[1] * p.tag[0] + p.tag[1]; }
double record_array(int n) { struct point a[5]; for (int i = 0; i < 5; i++) { a[i].x = i; a[i].y = n & 3; a[i].tag[0] = i; a[i].tag[1] = -i; } double s = 0; for (int i = 4; i >= 0; i--) s = s * 2 + a[i].x * a[i].y + a[i].tag[i & 1]; return s; }
double record_pointer(int n) { struct point p = {1, 2}, *q = &p; q->x = n & 15; (*q).y++; return p.x * 10 + p.y; }
int address(int n) { int x = n & 7, *p = &x; for (int i = 0; i < 3; i++) *p += i; return x; }
int address_in_array(int n, int *a) { int *p = &a[n & 31]; *p = 5; p[1] = 6; return a[n & 31] * a[(n & 31) + 1]; }
static int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int passes(int *a) { int t[6]; for (int i = 0; i < 6; i++) t[i] = a[i] & 0xff; return sum(t, 6) + sum(a, 3); }
void swap(int n, int *a) { for (int i = 0; i < 32; i++) { int t = a[i]; a[i] = a[63 - i]; a[63 - i] = t; } a[n & 63]++; }
void bubble(int n, int *a) { n &= 15; for (int i = 0; i < n; i++) for (int j = 0; j + 1 < n - i; j++) if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } }
void unsigned_index(unsigned n, float *a) { n &= 31; for (unsigned i = 0; i < n; i++) a[i + 1] = a[i] * 0.5f; a[n - n + 3] = 1; }
void sized_index(unsigned long n, float *a) { n &= 31; for (unsigned long i = 1; i < n; i++) a[i] += a[i - 1]; }
void chars(int n, unsigned char *a, signed char *b, short *c) { for (int i = 0; i < 60; i++) { a[i] += b[i]; c[i] -= a[i] * n; b[i] = c[i] >> 3; } }
void bools(int n, _Bool *a, int *b) { for (int i = 0; i < 40; i++) { a[i] = b[i] & n; b[i] += a[i + 3] ? 2 : 1; } }
int matrix(int n) { int m[3][4][5], s = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 5; k++) m[i][j][k] = i * 20 + j * 5 + k; int (*p)[5] = m[n & 1]; for (int i = 0; i < 4; i++) s = s * 3 + p[i][i]; return s + (*m)[1][2] + **p; }
void conditional(int n, double *a) { for (int i = 0; i < 64; i++) if (i > 3 && a[i - 1] > 0.5) a[i] -= 1; else if (i < (n & 31)) a[i] *= -1; }
void masked(int n, double *a) { for (int i = 0; i < 16; i++) for (int j = 0; j < 4; j++) { if (i >= j) a[i] += j; if (i + j == (n & 15)) a[j] = i; } }
