double table[40];
#pragma acc declare create(table)
struct part { double x, y; int tag[2]; };
void use(double *);
void data(int n, double *a, struct part *p, int flag)
{
  double b[40];
#pragma acc enter data copyin(a[0:n]) async(2)
#pragma acc data present(a[0:n]) create(b) copy(p[1:n-1]) if(flag)
  {
#pragma acc update self(a[0:n/2]) device(table) async(2) if_present
#pragma acc parallel loop firstprivate(flag) default(present)
    for (int i = 0; i < 40; i++) {
      b[i] = table[i] + flag;
      p[i].tag[1] = (int)p[i].y;
    }
#pragma acc host_data use_device(a, b)
    { use(a); use(b); }
    if (flag > 3)
      return;
  }
#pragma acc wait(2, 3) async(1)
#pragma acc exit data copyout(a[0:n]) delete(table) finalize
#pragma acc set device_num(0) default_async(n)
}
