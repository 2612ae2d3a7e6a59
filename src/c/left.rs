//! Regions that are left to the system's compiler: their statements are C that has no form
//! for a device or for terrace's own code, and nothing forbids that they run on the host.

use super::plan::Compiled;
use super::requests::Request;
use super::rewrite::jumps;
use super::sources::region_place;
use super::visit::children;
use crate::ir::diag::{DiagLoc, Diagnostic, Severity};
use terrace_c::directive::{ClauseKind, Compute, DataKind, Directive, DirectiveKind, Target};
use terrace_c::hir::{DirectiveId, Span, Stmt, StmtKind, Unit};
use terrace_c::region::Kept;

/// What is to be said of a statement that was not lowered, and whether it is left.
pub struct Refused {
    pub said: Option<Diagnostic>,
    pub left: bool,
}

/// A region that was not lowered runs on the host, with a warning, where that does what the
/// directive says. It is an error where the directive asks for something else, where the
/// program itself is wrong, and where the host could not run it either.
pub fn refused(unit: &Unit, kept: &Kept, request: &Request) -> Refused {
    let target = request.target.as_ref().map(|(t, _)| t);
    if target == Some(&Target::Host) {
        return Refused {
            said: None,
            left: false,
        };
    }
    let loc = |span: Span| unit.source.loc(span.start as usize);
    let error = |span: Span, reason: &str| {
        Diagnostic::error(
            loc(span),
            format!("this cannot be offloaded, as its directive asks: {reason}"),
        )
    };
    let wrong = |said: Diagnostic| Refused {
        said: Some(said),
        left: false,
    };
    let asks = target.is_some() || !request.schedules.is_empty();
    let Some(place) = kept.directive.and_then(|d| RegionPlace::of(unit, d)) else {
        return wrong(error(kept.span, &kept.reason));
    };
    if asks || kept.wrong {
        return wrong(error(kept.span, &kept.reason));
    }
    if let Some(jump) = leaves(unit, place.stmt) {
        return wrong(error(jump.0, &jump.1));
    }
    if let Some(d) = place.around.iter().find(|d| is_of_device(d)) {
        let what = match d.kind {
            DirectiveKind::HostData => "`host_data`",
            _ => "`deviceptr`",
        };
        let why = format!(
            "the region cannot run on the host either, which cannot follow the device's addresses \
             that {what} names"
        );
        return wrong(error(kept.span, &kept.reason).with_note(loc(d.span), why));
    }
    let mut said = Diagnostic::warning(
        loc(kept.span),
        format!(
            "the region runs on the host, as the system's compiler makes it: {}",
            kept.reason
        ),
    );
    let inside = place.stmt.span.start <= kept.span.start && kept.span.end <= place.stmt.span.end;
    if !inside {
        said = said.with_note(loc(place.stmt.span), "in the region that begins here");
    }
    Refused {
        said: Some(said),
        left: true,
    }
}

/// Whether the host can run a region whose statement was lowered, but has no form for a device.
pub fn host_can(unit: &Unit, directive: Option<DirectiveId>) -> bool {
    let place = directive.and_then(|d| RegionPlace::of(unit, d));
    place.is_some_and(|p| !p.around.iter().any(|d| is_of_device(d)))
}

/// Whether the directive names addresses of a device, which the host cannot follow.
fn is_of_device(d: &Directive) -> bool {
    let device = |c: &ClauseKind| {
        matches!(
            c,
            ClauseKind::Data {
                kind: DataKind::Deviceptr,
                ..
            }
        )
    };
    let compute = matches!(
        d.kind,
        DirectiveKind::Compute {
            construct: Compute::Parallel | Compute::Kernels | Compute::Serial,
            ..
        }
    );
    d.kind == DirectiveKind::HostData
        || (compute || matches!(d.kind, DirectiveKind::Data | DirectiveKind::Declare))
            && d.clauses.iter().any(|c| device(&c.kind))
}

/// A way out of the region that is not its end.
fn leaves(unit: &Unit, s: &Stmt) -> Option<(Span, String)> {
    if let Some(jump) = jumps::out_of(s).into_iter().next() {
        return Some((jump.span, format!("a {} out of the region", jump.what)));
    }
    let mut todo = vec![s];
    while let Some(s) = todo.pop() {
        if let StmtKind::Unsupported(what) = &s.kind {
            let word = |w: &str| matches!(w, "return" | "goto" | "continue");
            let mut words = unit
                .text(s.span)
                .split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(word) {
                return Some((s.span, format!("{what}, which may lead out of the region")));
            }
        }
        todo.extend(children(s));
    }
    None
}

/// Where a region stands.
struct RegionPlace<'u> {
    stmt: &'u Stmt,
    /// Its own directives, and those of the statements around it.
    around: Vec<&'u Directive>,
}

impl<'u> RegionPlace<'u> {
    fn of(unit: &'u Unit, id: DirectiveId) -> Option<RegionPlace<'u>> {
        let mut around = Vec::new();
        let bodies = unit.functions.iter().map(|f| &f.body);
        let stmt = bodies
            .filter_map(|s| find(unit, s, id, &mut around))
            .next()?;
        Some(RegionPlace { stmt, around })
    }
}

fn find<'u>(
    unit: &'u Unit,
    s: &'u Stmt,
    id: DirectiveId,
    around: &mut Vec<&'u Directive>,
) -> Option<&'u Stmt> {
    let own = s.directives.iter().map(|d| unit.directive(*d));
    if s.directives.contains(&id) {
        around.extend(own);
        return Some(s);
    }
    let found = children(s)
        .into_iter()
        .find_map(|c| find(unit, c, id, around))?;
    around.extend(own);
    Some(found)
}

/// What to say of a region that has not the forms it should have.
pub fn missing(unit: &Unit, compiled: Compiled, gpu_wanted: bool) -> Vec<Diagnostic> {
    let Compiled {
        region,
        made,
        request,
    } = compiled;
    let mut out = Vec::new();
    let target = request.target.as_ref().map(|(t, _)| t);
    if !made.errors.is_empty() || target == Some(&Target::Host) {
        return out;
    }
    let at = region_place(unit, region);
    let told = |d: &Diagnostic| match d.loc {
        DiagLoc::Unknown => at.clone(),
        _ => d.loc.clone(),
    };
    let scheduled = !request.schedules.is_empty();
    if !made.cpu && (target == Some(&Target::Cpu) || scheduled) {
        for d in &made.no_cpu {
            let m = format!("this has no form for the CPU: {}", d.message);
            out.push(
                Diagnostic::error(told(d), m)
                    .with_note(at.clone(), "in the region that begins here"),
            );
        }
    }
    let wanted = region.construct != Compute::Auto || target.is_some_and(Target::is_gpu);
    if gpu_wanted && !made.gpu {
        // Of a region whose loops all run in order there need be no form.
        let needed = |d: &&Diagnostic| wanted || scheduled && d.severity != Severity::Remark;
        let asks = scheduled || target.is_some_and(Target::is_gpu);
        let left = !asks && host_can(unit, region.directive);
        for d in made.no_gpu.iter().filter(needed) {
            let said = match left {
                true => {
                    let m = format!(
                        "this has no form for the GPU, so that the region runs on the host: {}",
                        d.message
                    );
                    Diagnostic::warning(told(d), m)
                }
                false => {
                    let m = format!("this has no form for the GPU: {}", d.message);
                    Diagnostic::error(told(d), m)
                }
            };
            out.push(said.with_note(at.clone(), "in the region that begins here"));
        }
    }
    out
}
