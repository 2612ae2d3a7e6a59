// Nothing between scop and endscop is no region, and what is made of it is C.
//
// RUN: terrace cc -c %s -o %t.o

void f(int *a)
{
#pragma scop
#pragma endscop
  a[0] = 1;
}
