//! Bytes that move, and what a region becomes, beside its first line.

use lsp_types::{
    CodeLens, Command, InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, Position, Range,
};
use serde_json::json;
use std::collections::BTreeMap;
use terrace_passes::region::notes::{ArrayNote, Movement, RegionNotes};

use super::super::becomes::{COMMAND, FORMS};
use super::super::text::Snapshot;
use super::Analysis;
use crate::run::formula::evaluate;

impl Analysis {
    /// Of each region in a range: what is copied to the device and back.
    pub fn hints(&self, snapshot: &Snapshot, range: Range) -> Vec<InlayHint> {
        let Some(explained) = &self.explained else {
            return Vec::new();
        };
        let sizes = snapshot.settings.sizes.iter();
        let sizes: BTreeMap<String, f64> = sizes.map(|(n, v)| (n.clone(), *v as f64)).collect();
        let mut out = Vec::new();
        for r in explained.regions().filter(|r| r.declined.is_none()) {
            let Some(line) = explained.line(snapshot, &r.place) else {
                continue;
            };
            if line < range.start.line || line > range.end.line {
                continue;
            }
            let Some((label, tooltip)) = moved(r, &sizes) else {
                continue;
            };
            let end = snapshot.line_start(line) + snapshot.line(line).trim_end().len() as u32;
            out.push(InlayHint {
                position: snapshot.position(end),
                label: InlayHintLabel::String(label),
                kind: Some(InlayHintKind::TYPE),
                text_edits: None,
                tooltip: Some(InlayHintTooltip::String(tooltip)),
                padding_left: Some(true),
                padding_right: None,
                data: None,
            });
        }
        out
    }

    /// Of each region: the forms that it can be shown in.
    pub fn lenses(&self, snapshot: &Snapshot) -> Vec<CodeLens> {
        let Some(explained) = &self.explained else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for r in explained.regions() {
            let Some(line) = explained.line(snapshot, &r.place) else {
                continue;
            };
            let on_device = r.declined.is_none() && !r.kernels.is_empty();
            for (form, title, _) in FORMS {
                if !on_device && matches!(form, "gpu" | "ptx") || form == "schedule" {
                    continue;
                }
                let at = Position::new(line, 0);
                let asked = json!({
                    "uri": snapshot.uri.as_str(),
                    "form": form,
                    "region": if form == "mlir" { None } else { Some(&r.name) },
                });
                out.push(CodeLens {
                    range: Range::new(at, at),
                    command: Some(Command {
                        title: format!("show {title}"),
                        command: COMMAND.to_string(),
                        arguments: Some(vec![asked]),
                    }),
                    data: None,
                });
            }
        }
        out
    }
}

/// `copies in 16 kB, back 8 kB`, and which arrays that are.
fn moved(r: &RegionNotes, sizes: &BTreeMap<String, f64>) -> Option<(String, String)> {
    let moves = |a: &&ArrayNote, to: Movement| a.movement == to || a.movement == Movement::Both;
    let into: Vec<&ArrayNote> = r.arrays.iter().filter(|a| moves(a, Movement::In)).collect();
    let back: Vec<&ArrayNote> = r
        .arrays
        .iter()
        .filter(|a| moves(a, Movement::Out))
        .collect();
    let parts = [("in", &into), ("back", &back)];
    let parts = parts.iter().filter(|(_, all)| !all.is_empty());
    let parts: Vec<String> = parts
        .map(|(word, all)| format!("{word} {}", amount(all, sizes)))
        .collect();
    if parts.is_empty() {
        return (!r.arrays.is_empty()).then(|| {
            let text = "copies nothing".to_string();
            (text.clone(), text)
        });
    }
    // What stays on a device is copied only where the other side has changed it.
    let stays = r.arrays.iter().any(|a| a.stays);
    let at_most = if stays { "at most " } else { "" };
    let lines: Vec<String> = (r.arrays.iter())
        .map(|a| {
            let bytes = match a.bytes.is_empty() {
                true => "the part that is used".to_string(),
                false => format!("{} bytes", a.bytes),
            };
            format!("{}: {}, {bytes}", a.name, a.movement.name())
        })
        .collect();
    Some((
        format!("copies {at_most}{}", parts.join(", ")),
        lines.join("\n"),
    ))
}

/// The bytes of arrays together, as a number where their sizes are known.
fn amount(arrays: &[&ArrayNote], sizes: &BTreeMap<String, f64>) -> String {
    let numbers = arrays.iter().map(|a| evaluate(&a.bytes, sizes).ok());
    if let Some(all) = numbers.collect::<Option<Vec<f64>>>() {
        return bytes(all.iter().sum());
    }
    let texts: Vec<&str> = (arrays.iter())
        .map(|a| match a.bytes.as_str() {
            "" => a.name.as_str(),
            bytes => bytes,
        })
        .collect();
    let unit = match arrays.iter().all(|a| !a.bytes.is_empty()) {
        true => " bytes",
        false => "",
    };
    format!("{}{unit}", texts.join(" + "))
}

fn bytes(n: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let (mut n, mut unit) = (n, 0);
    while n >= 10_000.0 && unit + 1 < units.len() {
        n /= 1000.0;
        unit += 1;
    }
    format!("{n:.0} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn amounts() {
        assert_eq!(bytes(8000.0), "8000 bytes");
        assert_eq!(bytes(16_000.0), "16 kB");
        assert_eq!(bytes(33_554_432.0), "34 MB");
    }
}
