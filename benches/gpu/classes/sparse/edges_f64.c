/* Differences along the edges of a graph.
size check n=400 e=3000
size main n=1<<21 e=1<<24
size near n=1<<21 e=1<<24 from~near:n:300 to~near:n:300
size odd n=1000003 e=5000011
fill from below:n
fill to below:n
out flux
bytes 24*e + 8*n
*/
void kernel(int n, int e, const int from[restrict e], const int to[restrict e], const double w[restrict e],
            const double u[restrict n], double flux[restrict e]) {
  //@ nest 1
  for (int k = 0; k < e; k++) flux[k] = w[k] * (u[to[k]] - u[from[k]]);
}
