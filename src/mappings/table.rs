//! The table of measurements, in CSV without quotes: no field has a comma.

/// The first line.
pub const HEAD: &str = "kernel,point,permutation,tile,block,registers,microseconds";

/// A mapping, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub kernel: String,
    /// The place in the list of mappings.
    pub point: usize,
    pub permutation: String,
    pub tile: String,
    pub block: String,
    /// Of a thread.
    pub registers: u32,
    /// The median of some launches.
    pub microseconds: f64,
}

/// The table as text.
pub fn write(rows: &[Row]) -> String {
    let mut out = format!("{HEAD}\n");
    for r in rows {
        out.push_str(&format!(
            "{},{},{},{},{},{},{:.2}\n",
            r.kernel, r.point, r.permutation, r.tile, r.block, r.registers, r.microseconds
        ));
    }
    out
}

/// The table in a text. Lines that begin with `#` are comments.
///
/// # Errors
///
/// The first line that is none, with its number.
pub fn read(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate();
    let mut lines = lines.filter(|(_, l)| !l.starts_with('#') && !l.trim().is_empty());
    match lines.next() {
        Some((_, HEAD)) => {}
        other => {
            let found = other.map_or("nothing", |(_, l)| l);
            return Err(format!("found `{found}`, expected `{HEAD}`"));
        }
    }
    lines
        .map(|(i, line)| row(line).ok_or_else(|| format!("{}: found `{line}`", i + 1)))
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split(',').collect();
    let [
        kernel,
        point,
        permutation,
        tile,
        block,
        registers,
        microseconds,
    ] = fields[..]
    else {
        return None;
    };
    let microseconds: f64 = microseconds.parse().ok()?;
    Some(Row {
        kernel: kernel.to_string(),
        point: point.parse().ok()?,
        permutation: permutation.to_string(),
        tile: tile.to_string(),
        block: block.to_string(),
        registers: registers.parse().ok()?,
        microseconds: Some(microseconds).filter(|t| t.is_finite() && *t >= 0.0)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_written() {
        let row = Row {
            kernel: "gemm".into(),
            point: 7,
            permutation: "j.i".into(),
            tile: "4.1 inside".into(),
            block: "32x8x1".into(),
            registers: 40,
            microseconds: 123.25,
        };
        let text = write(std::slice::from_ref(&row));
        assert_eq!(read(&format!("# H200\n{text}\n")), Ok(vec![row]));
        assert!(
            read("kernel\n")
                .unwrap_err()
                .contains("expected `kernel,point")
        );
        let wrong = format!("{HEAD}\na,b\n");
        assert_eq!(read(&wrong).unwrap_err(), "2: found `a,b`");
        assert!(read(&text.replace("123.25", "-1")).is_err());
    }
}
