//! What the environment asks for.

use std::sync::OnceLock;

use super::failure::fail;
use crate::pool::{self, FLUSH_VARIABLE};
use crate::{cache, staging};

/// Where regions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// On a GPU if there is a usable one, else as the system's compiler made them.
    #[default]
    Auto,
    /// On a GPU; without one the program ends.
    Gpu,
    /// On the emulator of a GPU, which ends the program where a kernel is wrong.
    Emulator,
    /// On this machine's cores, as terrace compiled them.
    Cpu,
    /// As the system's compiler made them.
    Host,
}

/// How it is found out whether the C statement is quicker than a region's code for the cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrialChoice {
    /// Both are measured in the first calls.
    #[default]
    Measure,
    /// Both take turns all the time, so that a difference between them shows.
    Turns,
    /// Not at all: the region's code runs.
    Never,
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    pub target: Choice,
    /// The number of the device.
    pub device: usize,
    /// Print a summary at the end.
    pub profile: bool,
    /// Print a line for each launch and copy.
    pub notify: bool,
    /// Write what ran when to this file at the end; `%p` in it is the process's number.
    pub trace: Option<String>,
    /// For both, time each launch and copy, however short.
    pub time_all: bool,
    /// Wait for each launch.
    pub sync: bool,
    /// On the cores, run only what every machine of the kind can.
    pub baseline: bool,
    /// Arrays are copied at each region, also where they could stay on the device.
    pub copy_at_regions: bool,
    pub trials: TrialChoice,
    /// On the cores, take subnormal numbers for zero.
    pub flush: bool,
}

impl Settings {
    /// The settings in these variables.
    ///
    /// # Errors
    /// A value that is none: which one, and those that there are.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let get = |name: &str| {
            let value = variable(name).unwrap_or_default();
            let value = value.trim();
            (!value.is_empty()).then(|| value.to_string())
        };
        let bad = |name: &str, found: &str, expected: &str| {
            Err(format!(
                "terrace: found {name}=`{}`, expected {expected}",
                found.escape_debug()
            ))
        };
        let mut settings = Settings::default();
        // OpenACC's own variable gives way to ours.
        if get("ACC_DEVICE_TYPE").is_some_and(|v| v.eq_ignore_ascii_case("host")) {
            settings.target = Choice::Host;
        }
        if let Some(target) = get("TERRACE_TARGET") {
            settings.target = match target.as_str() {
                "gpu" => Choice::Gpu,
                "emulator" => Choice::Emulator,
                "cpu" => Choice::Cpu,
                "host" => Choice::Host,
                other => {
                    return bad(
                        "TERRACE_TARGET",
                        other,
                        "`gpu` (a CUDA device), `emulator` (of one), `cpu` (terrace's code on all \
                         cores) or `host` (the system compiler's code)",
                    );
                }
            };
        }
        for name in ["TERRACE_DEVICE", "ACC_DEVICE_NUM"] {
            if let Some(number) = get(name) {
                settings.device = match number.parse() {
                    Ok(number) => number,
                    Err(_) => return bad(name, &number, "the number of a device, from 0"),
                };
                break;
            }
        }
        settings.profile = match get("TERRACE_PROFILE").as_deref() {
            None | Some("0") => false,
            Some("1" | "summary") => true,
            Some(other) => return bad("TERRACE_PROFILE", other, "`summary`, `1` or `0`"),
        };
        settings.notify = match get("TERRACE_NOTIFY").as_deref() {
            None | Some("0") => false,
            Some("1") => true,
            Some(other) => return bad("TERRACE_NOTIFY", other, "`1` or `0`"),
        };
        settings.trace = get("TERRACE_TRACE");
        settings.time_all = match get("TERRACE_TIMES").as_deref() {
            None | Some("sampled") => false,
            Some("all") => true,
            Some(other) => {
                return bad(
                    "TERRACE_TIMES",
                    other,
                    "`sampled` (of what is short only some) or `all`",
                );
            }
        };
        settings.sync = match get("TERRACE_SYNC").as_deref() {
            None | Some("0") => false,
            Some("1") => true,
            Some(other) => return bad("TERRACE_SYNC", other, "`1` or `0`"),
        };
        settings.copy_at_regions = match get("TERRACE_COPIES").as_deref() {
            None | Some("placed") => false,
            Some("regions") => true,
            Some(other) => {
                return bad(
                    "TERRACE_COPIES",
                    other,
                    "`placed` (where the program needs them) or `regions` (at each region)",
                );
            }
        };
        settings.trials = match get("TERRACE_TRIALS").as_deref() {
            None | Some("measure") => TrialChoice::Measure,
            Some("turns") => TrialChoice::Turns,
            Some("never") => TrialChoice::Never,
            Some(other) => {
                return bad(
                    "TERRACE_TRIALS",
                    other,
                    "`measure` (the quicker of terrace's code and the C statement stays), `turns` \
                     (both, by turns) or `never` (terrace's code)",
                );
            }
        };
        settings.baseline = match get("TERRACE_CPU").as_deref() {
            None | Some("x86-64-v3") => false,
            Some("x86-64") => true,
            Some(other) => {
                return bad(
                    "TERRACE_CPU",
                    other,
                    "`x86-64-v3` (where the machine has its instructions) or `x86-64`",
                );
            }
        };
        let said = |e: pool::PoolError| format!("terrace: {e}");
        settings.flush = pool::flush_from(get(FLUSH_VARIABLE).as_deref()).map_err(said)?;
        Ok(settings)
    }

    /// Whether this machine has the instructions of x86-64-v3 that code for it uses, and may
    /// run it.
    #[must_use]
    pub fn has_v3(&self) -> bool {
        !self.baseline && has_v3()
    }
}

/// Whether this machine has the instructions of x86-64-v3, and the system keeps its registers.
pub(super) fn has_v3() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(machine_has_v3)
}

/// The standard library asks for all that there is, three times as many questions. A hypervisor
/// answers each in microseconds.
#[cfg(target_arch = "x86_64")]
fn machine_has_v3() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let all = |word: u32, bits: &[u32]| bits.iter().all(|b| word >> b & 1 == 1);
    if __cpuid(0).eax < 7 {
        return false;
    }
    // FMA, POPCNT, OSXSAVE, AVX.
    if !all(__cpuid(1).ecx, &[12, 23, 27, 28]) {
        return false;
    }
    let (kept, _high): (u32, u32);
    // SAFETY: OSXSAVE says that the instruction is there; it reads a register.
    unsafe {
        std::arch::asm!("xgetbv", in("ecx") 0, out("eax") kept, out("edx") _high,
            options(nomem, nostack, preserves_flags));
    }
    // The system keeps registers of 128 and of 256 bits; BMI1, AVX2, BMI2; LZCNT.
    all(kept, &[1, 2])
        && all(__cpuid_count(7, 0).ebx, &[3, 5, 8])
        && all(__cpuid(0x8000_0001).ecx, &[5])
}

#[cfg(not(target_arch = "x86_64"))]
fn machine_has_v3() -> bool {
    false
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// The settings of this process, read once. A wrong value ends the program.
pub fn settings() -> &'static Settings {
    // The linker keeps what is referred to.
    #[cfg(target_os = "linux")]
    std::hint::black_box(&super::begin::BEGIN);
    SETTINGS.get_or_init(|| of_process().unwrap_or_else(|message| fail(&message)))
}

/// Reads the settings of this process before anyone asks for them. Whether there is no wrong
/// value, and no one has asked.
pub(super) fn read_early() -> bool {
    of_process().is_ok_and(|read| SETTINGS.set(read).is_ok())
}

fn of_process() -> Result<Settings, String> {
    // The device reads these when it is opened, where a mistake would look as if there
    // were no device.
    cache::Settings::read(|name| std::env::var_os(name)).map_err(|e| format!("terrace: {e}"))?;
    let staging = pool::variable("TERRACE_STAGING");
    staging::wanted(staging.as_deref()).map_err(|e| format!("terrace: {e}"))?;
    Settings::read(pool::variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::read(|name| {
            let found = variables.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn targets_and_devices() {
        assert_eq!(read(&[]).unwrap(), Settings::default());
        let target = |vars: &[(&str, &str)]| read(vars).unwrap().target;
        assert_eq!(target(&[("TERRACE_TARGET", " gpu ")]), Choice::Gpu);
        assert_eq!(target(&[("TERRACE_TARGET", "cpu")]), Choice::Cpu);
        assert_eq!(target(&[("ACC_DEVICE_TYPE", "HOST")]), Choice::Host);
        assert_eq!(target(&[("ACC_DEVICE_TYPE", "NVIDIA")]), Choice::Auto);
        let both = [("ACC_DEVICE_TYPE", "host"), ("TERRACE_TARGET", "gpu")];
        assert_eq!(target(&both), Choice::Gpu);
        let both = [("ACC_DEVICE_NUM", "2"), ("TERRACE_DEVICE", "1")];
        assert_eq!(read(&both).unwrap().device, 1);
        assert_eq!(read(&both[..1]).unwrap().device, 2);
        let error = read(&[("TERRACE_TARGET", "tpu")]).unwrap_err();
        assert_eq!(
            error,
            "terrace: found TERRACE_TARGET=`tpu`, expected `gpu` (a CUDA device), \
             `emulator` (of one), `cpu` (terrace's code on all cores) or `host` (the system \
             compiler's code)"
        );
        let error = read(&[("ACC_DEVICE_NUM", "-1")]).unwrap_err();
        assert_eq!(
            error,
            "terrace: found ACC_DEVICE_NUM=`-1`, expected the number of a device, from 0"
        );
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_machine_is_asked_as_the_standard_library_does() {
        let expected = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("popcnt");
        assert_eq!(has_v3(), expected);
    }

    #[test]
    fn reports() {
        assert!(read(&[("TERRACE_PROFILE", "summary")]).unwrap().profile);
        assert!(!read(&[("TERRACE_PROFILE", "0")]).unwrap().profile);
        assert!(read(&[("TERRACE_NOTIFY", "1")]).unwrap().notify);
        let trace = read(&[("TERRACE_TRACE", "t %p.json")]).unwrap().trace;
        assert_eq!(trace.as_deref(), Some("t %p.json"));
        assert_eq!(read(&[("TERRACE_TRACE", "")]).unwrap().trace, None);
        assert!(read(&[("TERRACE_TIMES", "all")]).unwrap().time_all);
        assert!(!read(&[("TERRACE_TIMES", "sampled")]).unwrap().time_all);
        assert!(
            read(&[("TERRACE_COPIES", "regions")])
                .unwrap()
                .copy_at_regions
        );
        assert_eq!(
            read(&[("TERRACE_COPIES", "none")]).unwrap_err(),
            "terrace: found TERRACE_COPIES=`none`, expected `placed` (where the program needs \
             them) or `regions` (at each region)"
        );
        let trials = |value| read(&[("TERRACE_TRIALS", value)]).map(|s| s.trials);
        assert_eq!(trials("turns").unwrap(), TrialChoice::Turns);
        assert_eq!(
            trials("often").unwrap_err(),
            "terrace: found TERRACE_TRIALS=`often`, expected `measure` (the quicker of terrace's \
             code and the C statement stays), `turns` (both, by turns) or `never` (terrace's code)"
        );
        assert!(read(&[("TERRACE_SYNC", "1")]).unwrap().sync);
        assert!(!read(&[("TERRACE_SYNC", "0")]).unwrap().sync);
        assert_eq!(
            read(&[("TERRACE_TIMES", "some")]).unwrap_err(),
            "terrace: found TERRACE_TIMES=`some`, expected `sampled` (of what is short only \
             some) or `all`"
        );
        assert_eq!(
            read(&[("TERRACE_CPU", "avx512")]).unwrap_err(),
            "terrace: found TERRACE_CPU=`avx512`, expected `x86-64-v3` (where the machine has its \
             instructions) or `x86-64`"
        );
        assert!(!read(&[("TERRACE_CPU", "x86-64")]).unwrap().has_v3());
        assert!(read(&[("TERRACE_FLUSH_SUBNORMALS", "1")]).unwrap().flush);
        assert_eq!(
            read(&[("TERRACE_FLUSH_SUBNORMALS", "on")]).unwrap_err(),
            "terrace: found TERRACE_FLUSH_SUBNORMALS=`on`, expected `1` or `0`"
        );
        assert_eq!(
            read(&[("TERRACE_SYNC", "yes")]).unwrap_err(),
            "terrace: found TERRACE_SYNC=`yes`, expected `1` or `0`"
        );
        assert_eq!(
            read(&[("TERRACE_PROFILE", "full")]).unwrap_err(),
            "terrace: found TERRACE_PROFILE=`full`, expected `summary`, `1` or `0`"
        );
        assert_eq!(
            read(&[("TERRACE_NOTIFY", "yes")]).unwrap_err(),
            "terrace: found TERRACE_NOTIFY=`yes`, expected `1` or `0`"
        );
    }
}
