void walk(long n, char *text, short (*rows)[12], double **lines)
{
  short *p = &rows[2][0], *end = p + n;
  long i, count = 0;
#pragma acc kernels
  {
    while (p < end)
      *p++ = (short)count++;
    for (i = n - 1; i >= 0; --i)
      text[i] = "abc"[i % 3];
  }
#pragma acc serial
  for (i = 0; i < n; i += 4)
    lines[i][0] = sizeof(rows[0]) / sizeof(*p) + (int)text[i * 2 + 1];
}
