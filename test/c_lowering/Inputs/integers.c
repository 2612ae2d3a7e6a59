/* Integer operators and conversions at edge values. */
int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a - b; }
int mul(int a, int b) { return a * b; }
int quotient(int a, int b) { return b == 0 || b == -1 ? 7 : a / b; }
int remainder_(int a, int b) { return b == 0 || b == -1 ? 7 : a % b; }
unsigned uquotient(unsigned a, unsigned b) { return b ? a / b : 1; }
unsigned uremainder(unsigned a, unsigned b) { return b ? a % b : 1; }
long lquotient(long a, long b) { return b == 0 || b == -1 ? 7 : a / b; }
unsigned long ulmix(unsigned long a, int b) { return a * b + (a >> 3) - (b < 0); }
int shl(int a, int b) { return (int)((unsigned)a << (b & 31)); }
int shr(int a, int b) { return a >> (b & 31); }
unsigned ushr(unsigned a, int b) { return a >> (b & 31); }
long lshl(long a, int b) { return (long)((unsigned long)a << (b & 63)); }
long lshr(long a, char b) { return a >> (b & 63); }
int bits(int a, int b) { return (a & b) | (a ^ ~b); }
int logic(int a, int b) { return (a && b) + 2 * (a || !b) + 4 * !a; }
int compare_s(int a, int b) { return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b); }
int compare_u(unsigned a, unsigned b) { return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b); }
int compare_mixed(int a, unsigned b) { return (a < b) + 2 * (a > b); }
int compare_lu(long a, unsigned b) { return (a < b) + 2 * (a > b); }
signed char narrow_c(int a) { return a; }
unsigned char narrow_uc(int a) { return a; }
short narrow_s(long a) { return a; }
unsigned short narrow_us(unsigned long a) { return a; }
int narrow_i(long a) { return a; }
unsigned narrow_u(long a) { return a; }
_Bool to_bool(int a) { return a; }
_Bool to_bool_l(unsigned long a) { return a; }
int from_bool(_Bool a) { return a + a; }
long widen(signed char a, unsigned char b, short c, unsigned short d) { return a * 3L + b * 5L + c * 7L + d; }
unsigned long widen_u(int a) { return a; }
long widen_uu(unsigned a) { return a; }
int char_math(signed char a, unsigned char b) { a += b; b -= a; a++; --b; return a * 256 + b; }
short short_math(short a, short b) { a *= b; a <<= 2; a |= 1; a ^= b; a >>= 1; return a; }
unsigned short ushort_math(unsigned short a) { return a++ + ++a; }
int negate(int a) { return -a + ~a + +a; }
unsigned unegate(unsigned a) { return -a; }
int comma(int a, int b) { int c; return (c = a + 1, b = c * 2, b - a); }
int assign_chain(int a) { int b, c; char d; b = c = d = a; return b + c * 3 + d; }
int compound(int a, int b) { a += b; a -= 3; a *= b; a &= 0xffff; a |= b << 1 & 6; a ^= 5; a %= 1000; return a; }
int ternary(int a, int b) { return a > b ? a - b : a < 0 ? b / 3 : a % 7; }
int side(int a, int b) { int c = 0; int d = a > 0 && (c = b) > 2; int e = a < 0 || ++c; return c * 4 + d * 2 + e; }
long incdec(int a, long b) { int c = a++; long d = --b; c += ++a; d -= b--; return a + b * 3 + c * 5 + d * 7; }
int mixed_assign(int a, double b) { if (b > -1e3 && b < 1e3 && a > -1000 && a < 1000) a += b; return a; }
int constants(void) { const int n = 5; enum { A = 3, B = A * 5 }; return n * 7 + B + sizeof(long) + 'a' + (1u << 31 > 0); }
unsigned hash(unsigned a, unsigned b) { a ^= b; a *= 2654435761u; a ^= a >> 15; a *= 0x85ebca6bu; return a; }
unsigned long lhash(unsigned long a) { a ^= a >> 33; a *= 0xff51afd7ed558ccdul; a ^= a >> 29; return a % 1000003; }
_Bool bool_step(_Bool a, _Bool b) { a++; b--; return a ^ b; }
_Bool bool_op(_Bool a, int b) { a += b; return a; }
int abs_(int a) { extern int abs(int); return abs(a & 0xffffff); }
