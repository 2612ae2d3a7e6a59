/* Floating-point operators, conversions and functions. */
double sqrt(double); double fabs(double); double floor(double); double ceil(double); double fmin(double, double);
double fmax(double, double); double fmod(double, double); float sqrtf(float); float fabsf(float); double trunc(double);
double hypot(double, double); float hypotf(float, float); double fdim(double, double); float fdimf(float, float);
double rint(double); double nearbyint(double); float rintf(float);
double copysign(double, double); double fma(double, double, double); double round(double);
double dadd(double a, double b) { return a + b * a - b / 3; }
float fadd(float a, float b) { return a + b * a - b / 3; }
float fmixed(float a, double b) { return a * b + 1.0f; }
double dneg(double a) { return -a + 0.0; }
float fneg(float a) { return -a; }
int dcompare(double a, double b) { return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b); }
int fcompare(float a, float b) { return (a < b) + 2 * (a != b) + 4 * !(a >= b); }
int dtruth(double a) { return a ? 3 : !a; }
_Bool dbool(double a) { return a; }
int to_int(double a) { return a > -1e9 && a < 1e9 ? (int)a : 0; }
long to_long(float a) { return a > -1e18f && a < 1e18f ? (long)a : 1; }
unsigned to_unsigned(double a) { return a >= 0 && a < 4e9 ? (unsigned)a : 2; }
unsigned long to_ulong(double a) { return a >= 0 && a < 1.8e19 ? (unsigned long)a : 2; }
signed char to_char(double a) { return a >= -128 && a < 128 ? (signed char)a : 3; }
unsigned short to_ushort(float a) { return a >= 0 && a < 65536 ? (unsigned short)a : 3; }
double from_int(int a) { return a; }
double from_unsigned(unsigned a) { return a; }
double from_ulong(unsigned long a) { return a; }
float from_long(long a) { return a; }
float from_ulong_f(unsigned long a) { return a; }
float from_char(signed char a, unsigned char b) { return a + b * 0.5f; }
float narrow(double a) { return a; }
double widen(float a) { return a; }
double functions(double a) { return sqrt(fabs(a)) + floor(a) - ceil(a) + trunc(a * 0.5); }
double rounded(double a) { return round(a); }
double extremes(double a, double b) { return fmin(a, b) - 2 * fmax(a, b); }
double rest(double a, double b) { return b != 0 ? fmod(a, b) : copysign(a, b); }
double contracted(double a, double b, double c) { return fma(a, b, c) - (a * b + c); }
float functions_f(float a) { return sqrtf(fabsf(a)); }
double ternary(double a, double b) { return a > b ? a : b; }
double compound(double a, float b) { float c = b; c += a; a *= c; a -= b; b /= 3; return a + b + c; }
double steps(double a, float b) { double c = a++; float d = --b; return a * 2 + b + c * 3 + d; }
double int_mix(int a, double b) { a *= b < 1e4 && b > -1e4 ? b / 1e5 : 1; return a / 2 + b; }
float distance_f(float a, float b) { return hypotf(a, b); }
double above(double a, double b) { return fdim(a, b); }
float above_f(float a, float b) { return fdimf(a, b); }
double to_even(double a) { return rint(a) + 2 * nearbyint(a * 0.5); }
float to_even_f(float a) { return rintf(a); }
double distance(double a, double b) { return hypot(a, b); }
