extern "C" __global__ void __launch_bounds__(256)
blackscholes(int n, float rate, float volatility, const float *__restrict__ spot,
             const float *__restrict__ strike, const float *__restrict__ years, float *__restrict__ call,
             float *__restrict__ put) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float s = spot[i], x = strike[i], y = years[i];
  float vr = volatility * sqrtf(y);
  float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * y) / vr, d2 = d1 - vr;
  float n1 = 0.5f + 0.5f * erff(d1 * 0.707106769f), n2 = 0.5f + 0.5f * erff(d2 * 0.707106769f);
  float xd = x * expf(-rate * y);
  call[i] = s * n1 - xd * n2;
  put[i] = xd * (1.0f - n2) - s * (1.0f - n1);
}
