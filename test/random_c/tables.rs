//! Arrays whose rows lie where pointers say: in any order, some in two arrays, some twice in one.

use super::file::Global;
use super::scope::{Class, Gen, Object, Step};

/// The sizes of each of them.
const ROWS: i128 = 8;
const COLUMNS: i128 = 12;

impl Gen {
    /// Tables of pointers to rows, alone and in records; the declaration of the rows.
    pub fn tables(&mut self, out: &mut Vec<Global>) -> String {
        let ty = self.any_type();
        let mut order: Vec<usize> = (0..3 * ROWS as usize).collect();
        for i in (1..order.len()).rev() {
            let j = self.rng.below(i + 1);
            order.swap(i, j);
        }
        // Mostly rows of its own, in order or not.
        for (n, record) in [false, false, true].into_iter().enumerate() {
            let own = n * ROWS as usize;
            let mut rows: Vec<usize> = match self.rng.chance(50) {
                true => (own..own + ROWS as usize).collect(),
                false => order[own..own + ROWS as usize].to_vec(),
            };
            if self.rng.chance(25) {
                let (from, to) = (self.rng.below(rows.len()), self.rng.below(rows.len()));
                rows[to] = match self.rng.chance(50) {
                    true => rows[from],
                    false => self.rng.below(order.len()),
                };
            }
            let name = format!("table{n}");
            let class = *self.rng.pick(&[Class::Input, Class::Sum, Class::Result]);
            let base = self.base(&name, "", false, class);
            let mut path = vec![Step::Text(name.clone()), Step::Dim(ROWS)];
            path.extend(record.then(|| Step::Text(".p".into())));
            path.push(Step::Dim(COLUMNS));
            let object = Object::of(base, path, ty);
            self.objects.push(object.clone());
            let one = |r: &usize| match record {
                true => format!("{{{r}, row[{r}]}}"),
                false => format!("row[{r}]"),
            };
            let rows: Vec<String> = rows.iter().map(one).collect();
            let of = match record {
                true => "static struct R ".to_string(),
                false => format!("static {} *", ty.name()),
            };
            out.push(Global {
                declaration: format!("{of}{name}[{ROWS}] = {{{}}};", rows.join(", ")),
                name,
                objects: vec![object],
                values: String::new(),
            });
        }
        // Rows next to each other, or apart.
        let distance = *self.rng.pick(&[COLUMNS, COLUMNS + 3]);
        format!(
            "static {0} row[{1}][{distance}];\nstruct R {{ int n; {0} *p; }};\n",
            ty.name(),
            3 * ROWS,
        )
    }
}
