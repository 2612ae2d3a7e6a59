typedef struct { float re, im; } complex;
typedef struct { complex *m; int rows, cols; union { int i; float f; } u; } matrix;
enum kind { ROW = 1, COLUMN = ROW << 2 };
void conjugate(matrix *restrict p, const matrix *q, enum kind k)
{
  complex local[4] = {{1, 2}, [2] = {.im = 3}};
#pragma acc parallel loop collapse(2) copy(p->m[0:p->rows*p->cols])
  for (int i = 0; i < p->rows; i++)
    for (int j = 0; j < p->cols; j++) {
      complex c = q->m[i * q->cols + j];
      p->m[i * p->cols + j].re = c.re * local[i & 3].im;
      p->m[i * p->cols + j].im = k == COLUMN ? -c.im : c.im;
    }
}
