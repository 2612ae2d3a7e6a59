//! Directives: each line of the input is one, in the places of a program in turn.

/// A place for directives, by a line of its own.
const PLACE: &str = "@\n";

/// Names of every kind that a clause may ask for.
const PROGRAM: &str = "\
struct part { int n; float f[4]; float *q; };
int n; float g[100]; double table[8][8]; struct part whole;
@
static float twice(float x) { return 2 * x; }
@
void f(int m, float *a, float b[restrict 16][16], struct part *p, double s) {
  int i, j; float t = 0; float local[32];
@
  for (i = 0; i < 16; i++) {
@
    for (j = 0; j < 16; j++) {
@
      b[i][j] += twice(a[i]) * g[j];
    }
  }
@
  {
    local[0] = 1;
@
    for (i = 1; i < m; i++) { t += a[i]; local[i & 31] = t; }
  }
@
  t = p->f[0];
}
";

/// # Panics
///
/// As [`super::c_regions::check`] of the program with the directives.
pub fn check(data: &[u8]) {
    if data.len() > super::MAX_BYTES / 8 {
        return;
    }
    let input = String::from_utf8_lossy(data);
    let mut lines = input.lines();
    let parts: Vec<&str> = PROGRAM.split(PLACE).collect();
    // Directives stand in the places evenly; an empty line leaves its place empty.
    let each = input.lines().count().div_ceil(parts.len() - 1);
    let mut text = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            for line in lines.by_ref().take(each).filter(|l| !l.trim().is_empty()) {
                text.push_str(&format!("#pragma {line}\n"));
            }
        }
        text.push_str(part);
    }
    super::c_regions::check(text.as_bytes());
}
