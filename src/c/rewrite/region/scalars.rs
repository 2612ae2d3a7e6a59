//! Scalars that a region gets by value and that may be on the device.
//!
//! What the device has of one is in the host's variable while the words of the call are
//! filled; its new value goes back to the device, and the host's stays as it was. What
//! code for the host's cores is given and gives back is always the variable's own: it
//! shares the host's memory. The values move on the construct's own queue, behind the
//! copies of its clauses, and are waited for: the host reads the one and then overwrites
//! the other.

use terrace_c::directive::{ClauseKind, Compute, DataKind, Directive};
use terrace_c::hir::{Storage, VarId};
use terrace_c::region::{Capture, ON_DEVICE, Region};

use super::super::Rewriter;
use super::super::lvalue::Path;
use super::super::maps::{FrameVar, set};
use super::super::section::{self, Memory, plain};
use super::arrays::Arrays;
use super::call::Names;

/// A scalar that may be on the device.
pub struct SharedScalar {
    /// An index into the captures.
    pub capture: usize,
    /// Nothing says that it is there: what the program has entered before decides.
    pub perhaps: bool,
    /// A clause of the construct gives the device a copy that does not come back.
    pub stays: bool,
}

impl Rewriter<'_> {
    /// How a scalar of a region is shared, if it is.
    pub(super) fn shared_scalar(
        &self,
        region: &Region,
        d: Option<&Directive>,
        capture: usize,
    ) -> Option<SharedScalar> {
        let c = &region.captures[capture];
        if c.text == ON_DEVICE {
            return None;
        }
        let own = own_clause(d, c);
        let sure = own.is_some() || self.is_around(c);
        if !sure && !self.may_be_there(region, d, c) {
            return None;
        }
        Some(SharedScalar {
            capture,
            perhaps: !sure,
            stays: matches!(
                own,
                Some(DataKind::Copyin | DataKind::Create | DataKind::NoCreate)
            ),
        })
    }

    /// Whether data of a construct around, or of `declare`, holds the scalar.
    fn is_around(&self, c: &Capture) -> bool {
        Path::of(plain(&c.lvalue)).is_some_and(|path| self.is_on_device(&path))
    }

    /// Whether data around, or `declare`, holds the scalar that a path leads to.
    fn is_on_device(&self, path: &Path) -> bool {
        let in_frame = |v: &FrameVar| {
            let scalar = v.scalar && v.path.as_ref() == Some(path);
            let part = |p: &Path| !v.scalar && path.is_part_of(p, v.points);
            scalar || v.path.as_ref().is_some_and(part)
        };
        let declared = !path.is_behind() && self.declared.contains(&path.root());
        declared || self.frames.iter().flat_map(|f| &f.vars).any(in_frame)
    }

    /// Whether it is shared without a clause, and may have been entered before: a scalar
    /// under `kernels`, and the members of records.
    fn may_be_there(&self, region: &Region, d: Option<&Directive>, c: &Capture) -> bool {
        let Some(path) = Path::of(plain(&c.lvalue)) else {
            return false;
        };
        let alone = path.is_variable() && region.construct != Compute::Kernels;
        if region.construct == Compute::Auto || alone {
            return false;
        }
        path.is_behind() || !is_copied(d, path.root()) && self.has_address(path.root())
    }

    /// Whether a directive or a pointer may have handed on where a variable lies.
    fn has_address(&self, v: VarId) -> bool {
        let var = self.unit.var(v);
        if var.is_const {
            return false;
        }
        let elsewhere = matches!(var.storage, Storage::Global | Storage::Extern);
        elsewhere || var.address_taken || self.mentioned.contains(&v)
    }

    /// Declares, for each such scalar, whether it is on the device and what the host has
    /// of it.
    pub(super) fn scalar_variables(
        &self,
        index: usize,
        arrays: &Arrays,
        names: &Names,
        out: &mut String,
    ) {
        let captures = &self.plans[index].region.captures;
        let n = arrays.shared_scalars.len();
        if n > 0 {
            out.push_str(&format!(" struct __terrace_map {}[{n}];", names.scalars));
        }
        for (k, s) in arrays.shared_scalars.iter().enumerate() {
            let text = &captures[s.capture].text;
            out.push_str(&format!(
                " int {p}{k} = {present}; __typeof__({text}) {o}{k} = {text};",
                p = names.present,
                present = present(text, names),
                o = names.old,
            ));
        }
    }

    /// While the words are filled the device's value is in the host's place.
    pub(super) fn scalars_in(
        &self,
        index: usize,
        arrays: &Arrays,
        names: &Names,
        place: &str,
        out: &mut String,
    ) {
        let captures = &self.plans[index].region.captures;
        for (k, s) in arrays.shared_scalars.iter().enumerate() {
            let text = &captures[s.capture].text;
            let map = format!("{}[{k}]", names.scalars);
            out.push(' ');
            out.push_str(&set(
                &map,
                &Memory::of_variable(text),
                DataKind::UpdateHost,
                0,
                text,
            ));
            out.push_str(&format!(
                " if ({p}{k}) __terrace_move(&{map}, __terrace_update_host, {q}, {place});",
                p = names.present,
                q = names.queue
            ));
        }
    }

    /// Gives a scalar that is on the device back what the host has of it.
    pub(super) fn restore(
        &self,
        index: usize,
        arrays: &Arrays,
        k: usize,
        names: &Names,
        out: &mut String,
    ) {
        out.push_str(&format!(" if ({}{k})", names.present));
        self.give_back(index, arrays, k, names, out);
    }

    /// It may be const for who names it here.
    fn give_back(&self, index: usize, arrays: &Arrays, k: usize, names: &Names, out: &mut String) {
        let capture = arrays.shared_scalars[k].capture;
        let text = &self.plans[index].region.captures[capture].text;
        out.push_str(&format!(
            " __builtin_memcpy((void *)(__terrace_word)&({text}), &{o}{k}, sizeof({o}{k}));",
            o = names.old,
        ));
    }

    /// The clauses of the construct may have brought scalars that get a new value to the
    /// device since.
    pub(super) fn scalars_found(
        &self,
        index: usize,
        arrays: &Arrays,
        names: &Names,
        out: &mut String,
    ) {
        let region = &self.plans[index].region;
        for (k, s) in arrays.shared_scalars.iter().enumerate() {
            if region.results.contains(&s.capture) {
                let text = &region.captures[s.capture].text;
                out.push_str(&format!(
                    " {}{k} = {};",
                    names.present,
                    present(text, names)
                ));
            }
        }
    }

    /// New values of scalars that are on the device go there, and not to the host.
    pub(super) fn scalars_out(
        &self,
        index: usize,
        arrays: &Arrays,
        names: &Names,
        place: &str,
        out: &mut String,
    ) {
        let region = &self.plans[index].region;
        for (k, s) in arrays.shared_scalars.iter().enumerate() {
            if !region.results.contains(&s.capture) {
                continue;
            }
            out.push_str(&format!(
                " if ({p}{k}) __terrace_move(&{v}[{k}], __terrace_update_device, {q}, {place});",
                p = names.present,
                q = names.queue,
                v = names.scalars,
            ));
            match s.stays {
                true => {
                    out.push_str(&format!(" if ({} == 2)", names.target));
                    self.give_back(index, arrays, k, names, out);
                }
                false => self.restore(index, arrays, k, names, out),
            }
        }
    }
}

/// Whether a scalar is on the device, as C.
fn present(text: &str, names: &Names) -> String {
    let address = format!("(void *)(__terrace_word)&({text})");
    format!(
        "{t} == 2 && terrace_deviceptr({address}) != {address}",
        t = names.target
    )
}

/// Whether any of the region's scalars is on the device, as C.
pub(super) fn any_present(arrays: &Arrays, names: &Names) -> Option<String> {
    let each = (0..arrays.shared_scalars.len()).map(|k| format!("{}{k}", names.present));
    let all: Vec<String> = each.collect();
    (!all.is_empty()).then(|| all.join(" || "))
}

/// The data clause that the construct itself has for the scalar.
fn own_clause(d: Option<&Directive>, c: &Capture) -> Option<DataKind> {
    let path = Path::of(plain(&c.lvalue))?;
    let mut data = d.into_iter().flat_map(Directive::data);
    data.find(|(_, s)| section::is_scalar(s) && section::path(s).as_ref() == Some(&path))
        .map(|(kind, _)| kind)
}

/// Whether the construct gives its gangs copies of a variable.
fn is_copied(d: Option<&Directive>, v: VarId) -> bool {
    d.is_some_and(|d| {
        d.clauses.iter().any(|c| match &c.kind {
            ClauseKind::Private(vars) | ClauseKind::Firstprivate(vars) => vars
                .iter()
                .any(|s| section::path(s).is_some_and(|p| p.root() == v)),
            _ => false,
        })
    })
}
