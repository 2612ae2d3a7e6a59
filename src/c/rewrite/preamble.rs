//! What the rewritten text declares of the runtime, once, before everything else.

use std::fmt::Write as _;

/// What is declared of a region.
#[derive(Debug)]
pub struct DeclaredRegion {
    pub symbol: String,
    /// The function of the extents is called.
    pub extents: bool,
    /// The program measures whether the C statement is quicker.
    pub trials: bool,
}

/// Which parts a text needs.
#[derive(Debug, Default)]
pub struct Preamble {
    pub regions: Vec<DeclaredRegion>,
    /// Symbols of regions whose function of the estimate is asked.
    pub estimates: Vec<String>,
    /// Directives call the runtime though there is no region.
    pub used: bool,
    /// `init`, `shutdown` or `set` is used.
    pub device: bool,
    /// Products of sizes are compared. Not every machine has the type for them.
    pub wide: bool,
}

impl Preamble {
    /// On one line; empty if nothing is used.
    pub fn text(&self) -> String {
        if self.regions.is_empty() && !self.used && !self.device {
            return String::new();
        }
        let mut out = ONCE.trim().replace('\n', " ");
        if self.device {
            let _ = write!(out, " {}", DEVICE.trim().replace('\n', " "));
        }
        if self.wide {
            out.push_str(" __extension__ typedef __int128 __terrace_wide;");
        }
        for DeclaredRegion {
            symbol,
            extents,
            trials,
        } in &self.regions
        {
            if *trials {
                let _ = write!(out, " struct __terrace_trials terrace_{symbol}_trials;");
            }
            let _ = write!(
                out,
                " extern const struct __terrace_region terrace_{symbol};"
            );
            if *extents {
                let _ = write!(
                    out,
                    " extern int terrace_{symbol}_extents(__terrace_word *);"
                );
            }
        }
        for symbol in &self.estimates {
            let _ = write!(
                out,
                " extern int terrace_{symbol}_estimate(__terrace_word *);"
            );
        }
        out
    }
}

/// The runtime's C interface. Tags and names of types are our own, so that they meet no
/// header of the user's.
const ONCE: &str = r#"
__extension__ typedef unsigned long long __terrace_word;
union __terrace_scalar { __terrace_word w; double f64; float f32; };
struct __terrace_region;
struct __terrace_map { void *host; __terrace_word bytes; unsigned kind; unsigned flags; const char *name; void *device; };
struct __terrace_scope { struct __terrace_map *maps; unsigned n; unsigned line; const char *file; };
enum { __terrace_copy, __terrace_copyin, __terrace_copyout, __terrace_create, __terrace_present, __terrace_no_create, __terrace_delete, __terrace_deviceptr, __terrace_update_host, __terrace_update_device, __terrace_attach, __terrace_detach, __terrace_firstprivate };
extern int terrace_target(const struct __terrace_region *);
extern int terrace_could(const struct __terrace_region *);
extern int terrace_runs_short;
extern int terrace_one_core;
struct __terrace_trials { __terrace_word words[48]; };
extern int terrace_try(const struct __terrace_trials *, double, int, __terrace_word *);
struct __terrace_slice { long from, to, end, step; double work, each; __terrace_word began; long growing; };
extern int terrace_slice(const struct __terrace_trials *, struct __terrace_slice *, int);
extern void terrace_sliced(const struct __terrace_trials *, struct __terrace_slice *, int);
extern void terrace_tried(const struct __terrace_trials *, double, __terrace_word, int);
extern int terrace_on_device(void);
extern void terrace_data_enter(struct __terrace_map *, unsigned, long, const char *, unsigned);
extern void terrace_data_exit(struct __terrace_map *, unsigned, long, const char *, unsigned);
extern void terrace_update(struct __terrace_map *, unsigned, long, int, const char *, unsigned);
extern int terrace_pays(const struct __terrace_region *, int, int (*)(__terrace_word *), __terrace_word *, unsigned, const struct __terrace_map *, unsigned);
extern int terrace_overlap(const struct __terrace_map *, unsigned);
struct __terrace_rows { const void *table; long distance, low, high, from, to, first, end; __terrace_word flags; };
extern int terrace_rows_meet(const struct __terrace_rows *, unsigned, const struct __terrace_map *, unsigned);
extern int terrace_strays(const struct __terrace_map *, unsigned);
extern void terrace_run(const struct __terrace_region *, int, __terrace_word *, long);
extern void terrace_host_begin(const char *, const char *, unsigned);
extern void terrace_host_end(void);
extern int terrace_resident;
extern int terrace_tracks;
extern void terrace_host_uses(const void *, long, unsigned);
extern void terrace_host_uses_class(long, unsigned);
extern void terrace_host_frees(void *);
extern void terrace_host_uses_all(void);
extern void terrace_host_follows(void);
extern int terrace_host_begins(const int *);
extern void terrace_host_holds(const int *, const void *, long);
extern void terrace_host_ends(const int *);
extern void terrace_wait(long);
extern void terrace_wait_all(void);
extern void *terrace_use_device(void *, int, const char *, const char *, unsigned);
extern void *terrace_copy_of(void *, long);
extern void terrace_copy_end(void *);
extern void terrace_wait_on(long, long);
extern void terrace_wait_all_on(long);
extern void *terrace_deviceptr(void *);
static __inline__ __attribute__((__unused__)) void __terrace_set(struct __terrace_map *m, const volatile void *base, long first, long bytes, unsigned kind, unsigned flags, const char *name) { m->host = (void *)((__terrace_word)base + (__terrace_word)first); m->bytes = bytes > 0 ? (__terrace_word)bytes : 0; m->kind = kind; m->flags = flags; m->name = name; m->device = m->host; }
static __inline__ __attribute__((__unused__)) void __terrace_same(struct __terrace_map *m, const struct __terrace_map *from, unsigned kind, unsigned flags) { *m = *from; m->kind = kind; m->flags = flags; m->device = m->host; }
static __inline__ __attribute__((__unused__)) __terrace_word __terrace_at(const struct __terrace_map *m, const volatile void *p) { return (__terrace_word)m->device + ((__terrace_word)p - (__terrace_word)m->host); }
static __inline__ __attribute__((__unused__)) __terrace_word __terrace_size(const struct __terrace_map *m, const volatile void *p, __terrace_word each) { __terrace_word room = (__terrace_word)m->host + m->bytes - (__terrace_word)p; return m->bytes == 0 || room >> 62 || each == 0 ? (__terrace_word)1 << 40 : room / each; }
static __inline__ __attribute__((__unused__)) __terrace_word __terrace_from_f64(double x) { union __terrace_scalar s; s.f64 = x; return s.w; }
static __inline__ __attribute__((__unused__)) __terrace_word __terrace_from_f32(float x) { union __terrace_scalar s; s.w = 0; s.f32 = x; return s.w; }
static __inline__ __attribute__((__unused__)) double __terrace_to_f64(__terrace_word w) { union __terrace_scalar s; s.w = w; return s.f64; }
static __inline__ __attribute__((__unused__)) float __terrace_to_f32(__terrace_word w) { union __terrace_scalar s; s.w = w; return s.f32; }
static __inline__ __attribute__((__unused__)) void __terrace_move(struct __terrace_map *m, unsigned kind, long queue, const char *file, unsigned line) { m->kind = kind; terrace_update(m, 1, queue, 1, file, line); if (queue != -1) terrace_wait(queue); }
static __inline__ __attribute__((__unused__)) void __terrace_hull(long *low, long *high, const __terrace_word *w) { long l = (long)w[0], h = (long)w[1]; if (l < h) { if (*low < *high) { if (*low < l) l = *low; if (*high > h) h = *high; } *low = l; *high = h; } }
static __inline__ __attribute__((__unused__)) void __terrace_rows_of(struct __terrace_rows *r, const volatile void *table, long distance, const __terrace_word *touched, const __terrace_word *sure, long each, __terrace_word flags) { r->table = (const void *)table; r->distance = distance; r->low = (long)touched[0]; r->high = (long)touched[1]; r->from = (long)sure[0]; r->to = (long)sure[1]; r->first = (long)touched[2]; r->end = (long)touched[3]; if (r->first < r->end) { r->first *= each; r->end *= each; } r->flags = flags; }
static __inline__ __attribute__((__unused__)) void __terrace_loose(struct __terrace_map *m, const volatile void *base, long each, long low, long high, long from, long to) { if (low < high && (low < from || high > to)) { m->flags |= 256; m->device = from < to ? (void *)((__terrace_word)base + (__terrace_word)from * (__terrace_word)each) : low >= 0 ? (void *)(__terrace_word)base : (void *)0; } }
static __inline__ __attribute__((__unused__)) void __terrace_defer(struct __terrace_map *m, long c) { if (!(m->flags & 256)) { m->flags |= 512; m->device = (void *)(__terrace_word)c; } }
static __inline__ __attribute__((__unused__)) void __terrace_ends(const int *note) { if (terrace_tracks) terrace_host_ends(note); }
static __inline__ __attribute__((__unused__)) void __terrace_leave(struct __terrace_scope *s) { if (s->maps) terrace_data_exit(s->maps, s->n, -1, s->file, s->line); }
"#;

/// The parts of the OpenACC API that directives call, under names that a declaration in
/// the user's header cannot contradict.
const DEVICE: &str = r#"
extern void __terrace_init(int) __asm__("acc_init");
extern void __terrace_shutdown(int) __asm__("acc_shutdown");
extern void __terrace_set_device_type(int) __asm__("acc_set_device_type");
extern void __terrace_set_device_num(int, int) __asm__("acc_set_device_num");
extern void __terrace_set_default_async(int) __asm__("acc_set_default_async");
"#;

#[cfg(test)]
mod tests {
    use super::{DEVICE, ONCE};

    /// Variables of regions are named by a letter and a number.
    #[test]
    fn nothing_declared_once_is_named_like_a_variable_of_a_region() {
        let text = format!("{ONCE} {DEVICE}");
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let mut seen = 0;
        for word in words {
            let Some(rest) = word.strip_prefix("__terrace_") else {
                continue;
            };
            seen += 1;
            let number = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
            let numbered = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            assert!(
                !numbered || rest.len() - number.len() > 1,
                "{word} could be a region's variable"
            );
        }
        assert!(seen > 10);
    }
}
