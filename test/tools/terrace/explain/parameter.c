// What stands in the way of a whole function is said as it is.
// RUN: terrace explain %s 2>&1 | FileCheck %s

// CHECK: parameter.c:[[@LINE+2]]: main
// CHECK: ! stays C: 'main' has a parameter of type char * *
int main(int argc, char **argv) {
  return argc + argv[0][0];
}
