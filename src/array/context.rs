//! Where arrays are, and the kernels that were made for them.

use super::arrays::Array;
use super::error::{ArrayError, bytes_of};
use super::filter::{Candidate, DeviceKind, Filter, environment};
use super::kernel::Kernel;
use super::memory::{Memory, On, Spare};
use crate::passes::pipeline::Algebra;
use crate::run::open_device;
use crate::run::options::{RunOptions, Target};
use crate::runtime::cache::Cache;
use crate::runtime::device::Driver;
use crate::runtime::pool;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use terrace_dsl::program::Program;
use terrace_dsl::{Element, ElementType, View};

/// Devices for arrays, with the kernels that were made on them. Several share the rows of each
/// array, and each computes its own.
///
/// Clones are the same context. It may be used from several threads at once.
#[derive(Clone)]
pub struct Context {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub devices: Vec<Here>,
    /// Where memory is: one for each device.
    places: Vec<On>,
    compiled: AtomicU64,
    from_disk: AtomicU64,
    /// Memory for results of reductions, for reuse.
    results: Mutex<Vec<Arc<Memory>>>,
    /// Memory of 8 bytes that holds 0.
    zeroed: Mutex<Vec<Arc<Memory>>>,
    /// Memory of arrays that are gone.
    spare: Arc<Spare>,
    /// Kernels that sort by digits.
    pub radix: super::radix::Kept,
    /// Factors of transforms.
    pub factors: super::fourier::Kept,
    /// The first device by itself, where there are several.
    alone: OnceLock<Context>,
}

/// A device of a context.
pub(super) struct Here {
    /// None for the cores.
    pub device: On,
    chosen: Candidate,
    pub options: RunOptions,
    /// By all that a kernel depends on, which is compared whole.
    kernels: RwLock<HashMap<Program, Arc<Kernel>>>,
    /// Kept by who compiles, so that two threads do not compile the same.
    compiling: Mutex<()>,
    /// Where lowered programs are kept.
    pub disk: Option<Arc<Cache>>,
}

/// How many kernels a context has made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kernels {
    /// By passes, since nothing was kept for them.
    pub compiled: u64,
    /// From what the cache on disk keeps, by code generation alone.
    pub from_disk: u64,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("devices", &self.devices())
            .field("kernels", &self.kernels())
            .finish()
    }
}

/// All devices that there are: GPUs, then the cores, then emulators.
fn candidates() -> Result<Vec<Candidate>, ArrayError> {
    let mut all = Vec::new();
    // Where there is no driver there is no GPU.
    for number in 0..Driver::Cuda.count().unwrap_or(0) {
        let device = Driver::Cuda.open(number)?;
        let info = device.info();
        all.push((
            DeviceKind::Gpu,
            info.name.clone(),
            number,
            info.total_memory,
        ));
    }
    all.push((DeviceKind::Cpu, "cores of the host".to_string(), 0, 0));
    let emulators = match Driver::Emulator.is_built() {
        true => Driver::Emulator.count()?,
        false => 0,
    };
    for number in 0..emulators {
        all.push((DeviceKind::Emulator, "emulator".to_string(), number, 0));
    }
    let numbered = all.into_iter().enumerate();
    let candidate = |(position, (kind, name, number, memory))| Candidate {
        kind,
        name,
        number,
        position,
        memory,
    };
    Ok(numbered.map(candidate).collect())
}

impl Context {
    /// The devices that pass a filter. Behind `& count(1)` it is one.
    ///
    /// # Errors
    ///
    /// None passes, a setting of the environment is none, or the device cannot be opened.
    pub fn select(filter: Filter) -> Result<Context, ArrayError> {
        let all = candidates()?;
        let chosen = filter.choose(&all).map_err(ArrayError::Setting)?;
        if chosen.is_empty() {
            return Err(ArrayError::NoDevice(all));
        }
        let disk = Cache::from_environment(false).map_err(ArrayError::Setting)?;
        let disk = disk.map(Arc::new);
        let here = chosen.into_iter().map(|c| Here::open(c, disk.clone()));
        Ok(Context::with(here.collect::<Result<_, _>>()?))
    }

    /// The device that the [environment] names.
    ///
    /// # Errors
    ///
    /// As [`Context::select`].
    pub fn from_environment() -> Result<Context, ArrayError> {
        Context::select(environment())
    }

    /// The cores of the host. Kernels are kept in memory alone.
    pub fn cpu() -> Context {
        let chosen = Candidate {
            kind: DeviceKind::Cpu,
            name: "cores of the host".to_string(),
            number: 0,
            position: 0,
            memory: 0,
        };
        Context::with(vec![Here::new(chosen, None, None)])
    }

    /// The same devices, in a context whose kernels are kept in memory alone, and not on disk.
    #[must_use]
    pub fn without_disk(&self) -> Context {
        let again = |h: &Here| h.again(None);
        Context::with(self.inner.devices.iter().map(again).collect())
    }

    /// A context of the same devices whose kernels compute sums, products and quotients of floats as
    /// `algebra` allows. It has its own arrays.
    ///
    /// ```
    /// use terrace::array::{Algebra, Context, cpu};
    /// let cx = Context::select(cpu())?.with_algebra(Algebra::REAL);
    /// let (x, y) = (cx.vector(&[1e-30])?, cx.vector(&[1.0])?);
    /// let z = cx.zeros(&[1])?;
    /// z.set((&x + &y) - &y)?;
    /// assert_eq!(z.to_vec()?, [1e-30]);
    /// # Ok::<(), terrace::array::ArrayError>(())
    /// ```
    #[must_use]
    pub fn with_algebra(&self, algebra: Algebra) -> Context {
        let again = |h: &Here| {
            let mut h = h.again(h.disk.clone());
            h.options.numerics.algebra = algebra;
            h
        };
        Context::with(self.inner.devices.iter().map(again).collect())
    }

    fn with(devices: Vec<Here>) -> Context {
        Context {
            inner: Arc::new(Inner {
                places: devices.iter().map(|d| d.device.clone()).collect(),
                devices,
                compiled: AtomicU64::new(0),
                from_disk: AtomicU64::new(0),
                results: Mutex::default(),
                zeroed: Mutex::default(),
                spare: Arc::default(),
                radix: Default::default(),
                factors: Default::default(),
                alone: OnceLock::new(),
            }),
        }
    }

    /// Its devices, in the order in which they share out the rows of arrays.
    pub fn devices(&self) -> Vec<&Candidate> {
        self.inner.devices.iter().map(|d| &d.chosen).collect()
    }

    /// Where kernels run, in words: `cpu, 2 threads`.
    pub fn place(&self) -> String {
        let all = self.inner.devices.iter().map(|h| match &h.device {
            None => format!("cpu, {}", pool::global().settings()),
            Some(d) => format!("{}, {}", h.chosen.kind.name(), d.info().name),
        });
        all.collect::<Vec<_>>().join("; ")
    }

    /// How many kernels it has made so far.
    pub fn kernels(&self) -> Kernels {
        Kernels {
            compiled: self.inner.compiled.load(Ordering::Relaxed),
            from_disk: self.inner.from_disk.load(Ordering::Relaxed),
        }
    }

    /// An array of one axis with a copy of these elements.
    ///
    /// # Errors
    ///
    /// Memory is short.
    #[track_caller]
    pub fn vector<T: Element>(&self, host: &[T]) -> Result<Array<T>, ArrayError> {
        self.array(&[host.len()], host)
    }

    /// An array with a copy of these elements, in row-major order: the last axis is the one
    /// along which neighbours lie side by side.
    ///
    /// # Errors
    ///
    /// The slice has not as many elements as the shape, or memory is short.
    #[track_caller]
    pub fn array<T: Element>(&self, sizes: &[usize], host: &[T]) -> Result<Array<T>, ArrayError> {
        let array = self.zeros(sizes)?;
        array.copy_from(host)?;
        Ok(array)
    }

    /// An array of zeros; of `bool` of `false`.
    ///
    /// # Errors
    ///
    /// Memory is short.
    #[track_caller]
    pub fn zeros<T: Element>(&self, sizes: &[usize]) -> Result<Array<T>, ArrayError> {
        let memory = Arc::new(self.memory(T::TYPE, sizes)?);
        Ok(Array::new(self, View::row_major(memory, sizes)))
    }

    /// Memory for an array, whose rows are shared out over the devices.
    pub(super) fn memory(&self, ty: ElementType, sizes: &[usize]) -> Result<Memory, ArrayError> {
        let bytes = bytes_of(ty, sizes)?;
        let rows = sizes.first().copied().unwrap_or(1);
        let row_bytes = bytes.checked_div(rows).unwrap_or(0);
        let (spare, places) = (&self.inner.spare, &self.inner.places);
        Memory::zeros(self.id(), spare, places, rows, row_bytes)
    }

    /// Memory on one of the devices.
    pub(super) fn memory_on(&self, device: usize, bytes: usize) -> Result<Memory, ArrayError> {
        let place = &self.inner.places[device..=device];
        Memory::zeros(self.id(), &self.inner.spare, place, 1, bytes)
    }

    /// How many devices there are.
    pub(super) fn count(&self) -> usize {
        self.inner.devices.len()
    }

    /// What tells contexts apart.
    pub(super) fn id(&self) -> usize {
        Arc::as_ptr(&self.inner) as usize
    }

    /// The kernel of a program on a device, which is made where there is none yet.
    pub(super) fn kernel(
        &self,
        device: usize,
        program: &Program,
    ) -> Result<Arc<Kernel>, ArrayError> {
        let here = &self.inner.devices[device];
        let find = || {
            let all = here.kernels.read();
            let all = all.unwrap_or_else(PoisonError::into_inner);
            all.get(program).cloned()
        };
        if let Some(k) = find() {
            return Ok(k);
        }
        let compiling = here.compiling.lock();
        let _compiling = compiling.unwrap_or_else(PoisonError::into_inner);
        if let Some(k) = find() {
            return Ok(k);
        }
        let (kernel, kept) = Kernel::make(here, program)?;
        let made = match kept {
            true => &self.inner.from_disk,
            false => &self.inner.compiled,
        };
        made.fetch_add(1, Ordering::Relaxed);
        let kernel = Arc::new(kernel);
        let all = here.kernels.write();
        let mut all = all.unwrap_or_else(PoisonError::into_inner);
        all.insert(program.clone(), Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Memory of 16 bytes for a result, which goes back by [`Context::give_back`].
    pub(super) fn result(&self) -> Result<Arc<Memory>, ArrayError> {
        let kept = self.inner.results.lock();
        let kept = kept.unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(m) => Ok(m),
            None => Ok(Arc::new(self.memory_on(0, 16)?)),
        }
    }

    /// Memory of 8 bytes that holds 0. It goes back by [`Context::give_back_zeroed`] if it still
    /// does.
    pub(super) fn zeroed(&self) -> Result<Arc<Memory>, ArrayError> {
        let kept = self.inner.zeroed.lock();
        let kept = kept.unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(m) => Ok(m),
            None => Ok(Arc::new(self.memory_on(0, 8)?)),
        }
    }

    /// Keeps memory that holds 0 for the next one who needs such.
    pub(super) fn give_back_zeroed(&self, memory: Arc<Memory>) {
        let kept = self.inner.zeroed.lock();
        kept.unwrap_or_else(PoisonError::into_inner).push(memory);
    }

    /// A context of the first device alone, with arrays of its own: this one, where there is one.
    pub(super) fn alone(&self) -> &Context {
        match &self.inner.devices[..] {
            [] | [_] => self,
            [first, ..] => self
                .inner
                .alone
                .get_or_init(|| Context::with(vec![first.again(first.disk.clone())])),
        }
    }

    /// Whether what is not shared out is computed by the cores of the host.
    pub(super) fn first_is_host(&self) -> bool {
        self.inner.places.first().is_some_and(Option::is_none)
    }

    /// Keeps memory of a result for the next one.
    pub(super) fn give_back(&self, memory: Arc<Memory>) {
        let mut kept = self
            .inner
            .results
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        kept.push(memory);
    }
}

impl Here {
    /// The same device with the same options, and no kernels yet.
    fn again(&self, disk: Option<Arc<Cache>>) -> Here {
        let mut here = Here::new(self.chosen.clone(), self.device.clone(), disk);
        here.options.numerics = self.options.numerics;
        here
    }

    fn new(chosen: Candidate, device: On, disk: Option<Arc<Cache>>) -> Here {
        let target = match chosen.kind {
            DeviceKind::Cpu => Target::Cpu,
            DeviceKind::Gpu => Target::Gpu,
            DeviceKind::Emulator => Target::Emulator,
        };
        let options = RunOptions {
            target,
            ..RunOptions::default()
        };
        Here {
            device,
            chosen,
            options,
            kernels: RwLock::default(),
            compiling: Mutex::default(),
            disk,
        }
    }

    fn open(chosen: Candidate, disk: Option<Arc<Cache>>) -> Result<Here, ArrayError> {
        let target = match chosen.kind {
            DeviceKind::Cpu => return Ok(Here::new(chosen, None, disk)),
            DeviceKind::Gpu => Target::Gpu,
            DeviceKind::Emulator => Target::Emulator,
        };
        let device = open_device(target, Some(chosen.number))?;
        Ok(Here::new(chosen, Some(device), disk))
    }
}
