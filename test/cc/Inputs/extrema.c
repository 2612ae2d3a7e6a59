/* Greatest and least floats as programs look for them, on numbers, zeros of both signs and NaNs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 1000
#define M 40

double a[N], c[N];
float f[N];
double g[M][M], row[M];

static void say(const char *what, double x) {
  unsigned long long bits;
  memcpy(&bits, &x, 8);
  /* Which NaN it is nobody promises. */
  if (x != x)
    printf("%s NaN\n", what);
  else
    printf("%s %016llx\n", what, bits);
}

double first(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    if (a[i] > t)
      t = a[i];
#pragma endscop
  return t;
}
double last(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    if (a[i] >= t)
      t = a[i];
#pragma endscop
  return t;
}
double max_macro(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    t = t > a[i] ? t : a[i];
#pragma endscop
  return t;
}
double max_macro_swapped(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    t = a[i] > t ? a[i] : t;
#pragma endscop
  return t;
}
double unless(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    if (!(a[i] <= t))
      t = a[i];
#pragma endscop
  return t;
}
double least(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    if (a[i] < t)
      t = a[i];
#pragma endscop
  return t;
}
double least_last(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    if (t >= a[i])
      t = a[i];
#pragma endscop
  return t;
}
double min_macro(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    t = t < a[i] ? t : a[i];
#pragma endscop
  return t;
}
double both(double t) {
#pragma scop
  for (int i = 0; i < N; i++) {
    if (a[i] > t)
      t = a[i];
    if (c[i] >= t)
      t = c[i];
  }
#pragma endscop
  return t;
}
double some(double t) {
#pragma scop
  for (int i = 1; i < N; i++)
    if (c[i] > 0.1 && a[i] < t)
      t = a[i];
#pragma endscop
  return t;
}
double differences(double t) {
#pragma scop
  for (int i = 0; i < N; i++)
    if (a[i] - c[i] > t)
      t = a[i] - c[i];
#pragma endscop
  return t;
}
double absolute(void) {
  double t = 0;
#pragma scop
  for (int i = 0; i < N; i++)
    if (fabs(a[i]) > t)
      t = fabs(a[i]);
#pragma endscop
  return t;
}
double two(double t, double u) {
#pragma scop
  for (int i = 0; i < N; i++) {
    t = t > a[i] ? t : a[i];
    if (c[i] < u)
      u = c[i];
  }
#pragma endscop
  return t - u;
}
double written(double t) {
#pragma scop
  for (int i = 0; i < N; i++) {
    c[i] = a[i] + 0.0;
    t = t > a[i] ? t : a[i];
  }
#pragma endscop
  return t;
}
double plane(double t) {
#pragma scop
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      t = t > g[i][j] ? t : g[i][j];
#pragma endscop
  return t;
}
double plane_first(double t) {
#pragma scop
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      if (g[i][j] < t)
        t = g[i][j];
#pragma endscop
  return t;
}
double rows(void) {
#pragma scop
  for (int i = 0; i < M; i++) {
    double t = g[i][0];
    for (int j = 1; j < M; j++)
      if (g[i][j] > t)
        t = g[i][j];
    row[i] = t;
  }
#pragma endscop
  double all = 0;
  for (int i = 0; i < M; i++)
    all = 0.5 * all + copysign(1.0, row[i]) + (row[i] == row[i] ? row[i] : 100.0);
  return all;
}
double columns(void) {
#pragma scop
  for (int j = 0; j < M; j++) {
    double t = g[0][j];
    for (int i = 1; i < M; i++)
      t = t < g[i][j] ? t : g[i][j];
    row[j] = t;
  }
#pragma endscop
  double all = 0;
  for (int i = 0; i < M; i++)
    all = 0.5 * all + copysign(1.0, row[i]) + (row[i] == row[i] ? row[i] : 100.0);
  return all;
}
float single(float t) {
#pragma scop
  for (int i = 0; i < N; i++)
    if (f[i] > t)
      t = f[i];
#pragma endscop
  return t;
}

static void all(const char *data, double t) {
  printf("%s from %g\n", data, t == t ? t : 99.0);
  say("first", first(t));
  say("last", last(t));
  say("max_macro", max_macro(t));
  say("max_macro_swapped", max_macro_swapped(t));
  say("unless", unless(t));
  say("least", least(t));
  say("least_last", least_last(t));
  say("min_macro", min_macro(t));
  say("both", both(t));
  say("some", some(t));
  say("differences", differences(t));
  say("absolute", absolute());
  say("two", two(t, t));
  say("plane", plane(t));
  say("plane_first", plane_first(t));
  say("rows", rows());
  say("columns", columns());
  say("single", single(t));
  say("written", written(t));
}

static void from_all(const char *data) {
  double starts[] = {-1.0, 1.0, 0.0, -0.0, NAN, -INFINITY, INFINITY};
  for (int k = 0; k < 7; k++) {
    for (int i = 0; i < N; i++) {
      f[i] = a[i];
      c[i] = a[(i * 37) % N] * ((i % 3) - 1);
    }
    for (int i = 0; i < M * M; i++)
      g[i / M][i % M] = a[(i * 7) % N];
    all(data, starts[k]);
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = sin(i * 1.1);
  from_all("numbers");
  for (int i = 0; i < N; i++)
    a[i] = i % 7 == 3 ? -0.0 : i % 5 == 2 ? 0.0 : -0.25;
  from_all("no positive ones, -0 at last");
  for (int i = 0; i < N; i++)
    a[i] = i % 7 == 3 ? 0.0 : i % 11 == 8 ? -0.0 : 0.25 + i;
  from_all("no negative ones, 0 before -0");
  for (int i = 0; i < N; i++)
    a[i] = i % 2 ? 0.0 : -0.0;
  from_all("zeros");
  for (int i = 0; i < N; i++)
    a[i] = i == 500 ? -0.0 : i > 900 ? -1.0 : 0.0;
  from_all("one -0");
  for (int i = 0; i < N; i++)
    a[i] = i % 100 == 50 ? NAN : 100 * cos(i * 0.7) + i;
  from_all("NaNs");
  for (int i = 0; i < N; i++)
    a[i] = i == 999 ? NAN : -i;
  from_all("a NaN at last");
  for (int i = 0; i < N; i++)
    a[i] = i == 0 ? NAN : i < 500 ? -0.0 : 0.0;
  from_all("a NaN at first");
  return 0;
}
