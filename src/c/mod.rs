//! C programs: rewritten for the system compiler, with their regions compiled here.
//!
//! | file | what |
//! | --- | --- |
//! | `driver/` | `terrace cc`: the command line, files, objects, linking |
//! | `translate` | the steps of one preprocessed file, from text to object code and rewritten text |
//! | `found` | regions that `--auto` finds |
//! | `requests`, `schedule/` | which region a `terrace target` or `schedule` is for, and its steps |
//! | `compile/` | the object file of all regions: a form for threads, and forms that launch kernels |
//! | `host/` | what the program's own code uses of regions' arrays, and how it says so |
//! | `costs` | sizes for the cost model |
//! | `left` | which regions without code run on the host, and which are errors |
//! | `notes` | what a reader is told of a file's regions |
//! | `rewrite/` | calls of the runtime where regions and directives stand |
//! | `work` | how many operations a statement does |
//! | `archs`, `plan`, `sources`, `visit` | architectures asked for, and what several of these use |

pub mod archs;
pub(crate) mod compile;
pub mod costs;
pub mod driver;
pub(crate) mod emit;
pub(crate) mod found;
pub(crate) mod host;
pub(crate) mod joined;
mod left;
mod notes;
pub(crate) mod plan;
pub(crate) mod requests;
pub(crate) mod rewrite;
pub(crate) mod schedule;
pub(crate) mod sources;
pub mod translate;
mod translated;
mod unsaved;
pub(crate) mod visit;
mod work;
