/* Viterbi's best path through a hidden Markov model, log weights as integers. */
#include "bench.h"

#define STATES 48
#define SYMBOLS 20
#define LENGTH 6000

static int trans[STATES][STATES], emit[STATES][SYMBOLS];
static unsigned char back[LENGTH][STATES];
static int obs[LENGTH], path[LENGTH];

static int decode(void) {
  int now[STATES], next[STATES];
  for (int s = 0; s < STATES; s++) now[s] = emit[s][obs[0]];
  for (int t = 1; t < LENGTH; t++) {
    for (int s = 0; s < STATES; s++) {
      int best = now[0] + trans[0][s], from = 0;
      for (int p = 1; p < STATES; p++) {
        int w = now[p] + trans[p][s];
        if (w > best) {
          best = w;
          from = p;
        }
      }
      next[s] = best + emit[s][obs[t]];
      back[t][s] = from;
    }
    int base = next[0];
    for (int s = 0; s < STATES; s++) now[s] = next[s] - base;
  }
  int end = 0;
  for (int s = 1; s < STATES; s++)
    if (now[s] > now[end]) end = s;
  for (int t = LENGTH - 1; t > 0; t--) {
    path[t] = end;
    end = back[t][end];
  }
  path[0] = end;
  return now[path[LENGTH - 1]];
}

int main(void) {
  for (int i = 0; i < STATES * STATES; i++) trans[i / STATES][i % STATES] = -(int)(bench_random(1, i) * 5000);
  for (int i = 0; i < STATES * SYMBOLS; i++) emit[i / SYMBOLS][i % SYMBOLS] = -(int)(bench_random(2, i) * 5000);
  for (int t = 0; t < LENGTH; t++) obs[t] = (int)(bench_random(3, t) * SYMBOLS);

  long sum = 0;
  int score = 0;
  bench_start();
  for (int r = 0; r < 14; r++) {
    score = decode();
    for (int t = 0; t < LENGTH; t++) sum += path[t] * (t % 11);
    obs[r * 400] = r;
  }
  bench_stop();
  printf("check viterbi %d %ld\n", score, sum);
  return 0;
}
