//! What the interface has: functions, structures and numbers.

use std::collections::BTreeMap;
use std::mem::offset_of;

use terrace_runtime::pool::terrace_parallel_for;
use terrace_runtime::program::abi::{self, Image, Kernel, Kind, Map, Param, Region, Site, Version};
use terrace_runtime::program::acc::cuda::*;
use terrace_runtime::program::acc::data::*;
use terrace_runtime::program::acc::device::{self, *};
use terrace_runtime::program::acc::memory::*;
use terrace_runtime::program::acc::queue::*;
use terrace_runtime::program::entry::*;
use terrace_runtime::program::pays::terrace_pays;
use terrace_runtime::program::queue::{DEFAULT, INITIAL, SYNC};
use terrace_runtime::program::resident::calls::*;
use terrace_runtime::program::slices::*;
use terrace_runtime::program::tables::*;
use terrace_runtime::program::trials::*;
use terrace_runtime::program::{copies::*, region::*};

use super::types::{Signature, field, of};

macro_rules! functions {
    ($($ty:ty => $($name:ident)*;)*) => {
        /// All functions, by name.
        pub fn functions() -> BTreeMap<&'static str, Signature> {
            let mut all = BTreeMap::new();
            $($(
                all.insert(
                    stringify!($name),
                    of($name as $ty),
                );
            )*)*
            all
        }
    };
}

type F0<R> = unsafe extern "C" fn() -> R;
type F1<A, R> = unsafe extern "C" fn(A) -> R;
type F2<A, B, R> = unsafe extern "C" fn(A, B) -> R;
type F3<A, B, C, R> = unsafe extern "C" fn(A, B, C) -> R;
type F4<A, B, C, D, R> = unsafe extern "C" fn(A, B, C, D) -> R;
type F5<A, B, C, D, E, R> = unsafe extern "C" fn(A, B, C, D, E) -> R;
type F6<A, B, C, D, E, F, R> = unsafe extern "C" fn(A, B, C, D, E, F) -> R;
type F7<A, B, C, D, E, F, G, R> = unsafe extern "C" fn(A, B, C, D, E, F, G) -> R;

functions! {
    F0<_> => terrace_host_uses_all terrace_host_follows terrace_on_device terrace_has_v3 terrace_host_end terrace_wait_all terrace_gpu_profiled acc_get_device_type acc_async_test_all acc_wait_all
        acc_get_current_cuda_device acc_get_current_cuda_context
        acc_async_wait_all acc_get_default_async;
    F1<_, _> => terrace_host_frees terrace_host_begins terrace_host_ends terrace_target terrace_could terrace_wait terrace_wait_all_on terrace_copy_end
        terrace_deviceptr terrace_gpu_sync acc_get_num_devices acc_set_device_type
        acc_get_device_num acc_init acc_shutdown acc_on_device acc_async_test acc_wait
        acc_async_test_all_device acc_wait_all_device acc_wait_all_async acc_async_wait
        acc_set_default_async acc_malloc acc_free acc_unmap_data acc_attach acc_detach
        acc_detach_finalize acc_deviceptr acc_hostptr acc_get_cuda_stream;
    F2<_, _, _> => terrace_host_uses_class terrace_overlap terrace_strays terrace_wait_on terrace_copy_of
        terrace_gpu_alloc terrace_gpu_free acc_set_device_num acc_init_device
        acc_shutdown_device acc_wait_async acc_wait_any acc_set_cuda_stream
        acc_async_test_device acc_wait_device acc_wait_all_device_async acc_copyin acc_create
        acc_present_or_copyin acc_present_or_create acc_pcopyin acc_pcreate acc_copyout
        acc_copyout_finalize acc_delete acc_delete_finalize acc_update_device acc_update_self
        acc_update_host acc_attach_async acc_detach_async acc_detach_finalize_async
        acc_is_present;
    F3<_, _, _, _> => terrace_slice terrace_sliced terrace_host_uses terrace_host_holds terrace_host_begin terrace_gpu_work acc_get_property acc_get_property_string acc_wait_device_async
        acc_wait_any_device acc_memcpy_to_device acc_memcpy_from_device acc_memcpy_device
        acc_map_data acc_copyin_async acc_create_async acc_copyout_async
        acc_copyout_finalize_async acc_delete_async acc_delete_finalize_async
        acc_update_device_async acc_update_self_async acc_update_host_async;
    F4<_, _, _, _, _> => terrace_run terrace_rows_meet terrace_try terrace_tried acc_memcpy_to_device_async acc_memcpy_from_device_async
        acc_memcpy_device_async;
    F5<_, _, _, _, _, _> => terrace_data_enter terrace_data_exit terrace_use_device terrace_gpu_copy
        terrace_gpu_memset terrace_parallel_for acc_memcpy_d2d;
    F6<_, _, _, _, _, _, _> => terrace_update;
    F7<_, _, _, _, _, _, _, _> => terrace_pays terrace_gpu_launch terrace_gpu_copy_strided
        acc_memcpy_d2d_async;
}

/// A field: its name, its declaration, its offset.
pub struct Field {
    pub name: &'static str,
    pub declare: fn(&str) -> String,
    pub offset: usize,
}

/// A structure: its fields and its size.
pub struct Structure {
    pub fields: Vec<Field>,
    pub size: usize,
}

macro_rules! structures {
    ($($c:literal = $rust:ident { $($field:ident)* })*) => {
        /// All structures, by name.
        pub fn structures() -> BTreeMap<&'static str, Structure> {
            let mut all = BTreeMap::new();
            $(
                // Without a field that there is this does not compile.
                let _ = |s: $rust| {
                    let $rust { $($field: _),* } = s;
                };
                let mut fields = vec![$(Field {
                    name: stringify!($field),
                    declare: field(|s: &$rust| &s.$field),
                    offset: offset_of!($rust, $field),
                }),*];
                fields.sort_by_key(|f| f.offset);
                let size = size_of::<$rust>();
                all.insert($c, Structure { fields, size });
            )*
            all
        }
    };
}

structures! {
    "terrace_param" = Param { name bytes align fallback_align pad }
    "terrace_kernel" = Kernel { name params num_params flags fallback indices num_indices }
    "terrace_image" = Image { ptx ptx_bytes kernels num_kernels pad loaded }
    "terrace_site" = Site { file line column }
    "terrace_version" = Version { sm flags gpu image }
    "terrace_region" = Region { abi flags name file line column cpu cpu_v3 gpu image sites num_sites versions num_versions }
    "terrace_rows" = RowArray { table distance low high from to first end flags }
    "terrace_slice" = Slice { from to end step work each began growing }
    "terrace_map" = Map { host bytes kind flags name device }
}

/// Numbers of one enumeration: name, value, and what to say of it.
pub type Numbers = Vec<(String, i64, &'static str)>;

/// The enumerations of `terrace.h`.
pub fn terrace_enums() -> BTreeMap<&'static str, Numbers> {
    let kinds = Kind::ALL.iter().map(|k| {
        let name = k.name().to_uppercase().replace(' ', "_");
        let note = match k {
            Kind::FirstPrivate => "a copy of the region's own",
            _ => "",
        };
        (format!("TERRACE_{name}"), *k as i64, note)
    });
    let flags = [
        ("WRITTEN", abi::WRITTEN, "the region writes the section"),
        (
            "IMPLICIT",
            abi::IMPLICIT,
            "from the analysis: may reach beyond what is used",
        ),
        ("FINALIZE", abi::FINALIZE, "exit data finalize"),
        (
            "DYNAMIC",
            abi::DYNAMIC,
            "enter data and exit data; else of a construct",
        ),
        (
            "ZERO",
            abi::ZERO,
            "copyout, create: what is not there yet begins as zeros",
        ),
        (
            "ROWS",
            abi::ROWS,
            "a part of each row that the pointers in the map before point to: `host` is the \
             distance of its first byte from there",
        ),
        (
            "ALWAYS_IN",
            abi::ALWAYS_IN,
            "copied in though it is present",
        ),
        (
            "ALWAYS_OUT",
            abi::ALWAYS_OUT,
            "copied out though it stays present",
        ),
        (
            "LOOSE",
            abi::LOOSE,
            "may reach beyond the program's arrays: only what can be read is copied in, and what \
             changed is copied back. `device` is before an address that is in the array, or null",
        ),
        (
            "DEFER",
            abi::DEFER,
            "what the region leaves may stay on the device, as the program says what its own code \
             uses; `device` is before the number of the class of pointers that lead there",
        ),
        (
            "RESIDENT",
            abi::RESIDENT,
            "the runtime's own: it stays there",
        ),
        (
            "GROUP",
            1 << abi::GROUP,
            "times a number up to 255: sections of one that is not 0 may be the same memory, whole",
        ),
        (
            "OBJECT",
            1 << abi::OBJECT,
            "times a number up to 255: sections of one that is not 0 are parts of one object by \
             their names, so that the smaller lie in the larger",
        ),
    ];
    let flags = flags.map(|(name, value, note)| (format!("TERRACE_{name}"), value.into(), note));
    let queues = vec![
        ("TERRACE_SYNC".to_string(), SYNC, ""),
        ("TERRACE_NOVAL".to_string(), DEFAULT, ""),
    ];
    [
        ("kinds", kinds.collect()),
        ("flags", flags.to_vec()),
        ("queues", queues),
    ]
    .into()
}

/// The enumerations of `openacc.h`.
pub fn openacc_enums() -> BTreeMap<&'static str, Numbers> {
    let numbers = |prefix: &str, all: &[(&str, i64)]| -> Numbers {
        let number = |(name, value): &(&str, i64)| (format!("{prefix}{name}"), *value, "");
        all.iter().map(number).collect()
    };
    let devices = [
        ("none", device::NONE.into()),
        ("default", device::DEFAULT.into()),
        ("host", device::HOST.into()),
        ("current", device::CURRENT.into()),
        ("not_host", device::NOT_HOST.into()),
        ("nvidia", device::NVIDIA.into()),
        ("radeon", device::RADEON.into()),
    ];
    let properties = [
        ("memory", device::MEMORY.into()),
        ("free_memory", device::FREE_MEMORY.into()),
        ("shared_memory_support", device::SHARED_MEMORY.into()),
        ("name", device::NAME.into()),
        ("vendor", device::VENDOR.into()),
        ("driver", device::DRIVER.into()),
    ];
    let queues = [("sync", SYNC), ("noval", DEFAULT), ("default", INITIAL)];
    [
        ("acc_device_t", numbers("acc_device_", &devices)),
        (
            "acc_device_property_t",
            numbers("acc_property_", &properties),
        ),
        ("queues", numbers("acc_async_", &queues)),
    ]
    .into()
}
