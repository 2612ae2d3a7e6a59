//! `terrace cc` beside the system's compiler: what it makes, says and returns.

#[path = "cc/arg_extrema.rs"]
mod arg_extrema;
#[path = "cc/auto.rs"]
mod auto;
#[path = "cc/behind.rs"]
mod behind;
#[path = "cc/builtins.rs"]
mod builtins;
#[path = "cc/conversions.rs"]
mod conversions;
#[path = "cc/counting.rs"]
mod counting;
#[path = "cc/divided.rs"]
mod divided;
#[path = "cc/driver.rs"]
mod driver;
#[path = "cc/edges.rs"]
mod edges;
#[path = "cc/emulator.rs"]
mod emulator;
#[path = "cc/extrema.rs"]
mod extrema;
#[path = "cc/faults.rs"]
mod faults;
#[path = "cc/flags.rs"]
mod flags;
#[path = "cc/folder.rs"]
mod folder;
#[path = "cc/forms.rs"]
mod forms;
#[path = "cc/in_order.rs"]
mod in_order;
#[path = "cc/installed.rs"]
mod installed;
#[path = "cc/joined.rs"]
mod joined;
#[path = "cc/launches.rs"]
mod launches;
#[path = "cc/left.rs"]
mod left;
#[path = "cc/linear.rs"]
mod linear;
#[path = "cc/memory.rs"]
mod memory;
#[path = "cc/openacc.rs"]
mod openacc;
#[path = "cc/overwritten.rs"]
mod overwritten;
#[path = "cc/parts.rs"]
mod parts;
#[path = "cc/plain.rs"]
mod plain;
#[path = "cc/pointer_values.rs"]
mod pointer_values;
#[path = "cc/pointers.rs"]
mod pointers;
#[path = "cc/privatize.rs"]
mod privatize;
#[path = "cc/programs.rs"]
mod programs;
#[path = "cc/reach.rs"]
mod reach;
#[path = "cc/reductions.rs"]
mod reductions;
#[path = "cc/regions.rs"]
mod regions;
#[path = "random/rng.rs"]
mod rng;
#[path = "cc/semantics.rs"]
mod semantics;
#[path = "cc/sharing.rs"]
mod sharing;
#[path = "cc/short_rows.rs"]
mod short_rows;
#[path = "cc/slices.rs"]
mod slices;
#[path = "cc/stay_there.rs"]
mod stay_there;
#[path = "cc/stays.rs"]
mod stays;
#[path = "cc/steps.rs"]
mod steps;
#[path = "cc/subnormals.rs"]
mod subnormals;
#[path = "cc/sums.rs"]
mod sums;
#[path = "cc/tables.rs"]
mod tables;
#[path = "cc/uneven_gangs.rs"]
mod uneven_gangs;
#[path = "cc/unsigned.rs"]
mod unsigned;
#[path = "cc/wrong.rs"]
mod wrong;
