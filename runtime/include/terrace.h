/* Made by the test `headers` of the definitions in Rust. This writes it anew:
   UPDATE_HEADERS=1 cargo test -p terrace-runtime --test headers */
/* What C code from `terrace cc` calls while it runs. It is linked with
   libterrace_runtime.a; programs for people include openacc.h instead.

   What goes wrong ends the program with a message on standard error that begins with
   the place in the source, and exit status 1. Nothing is written to standard output.

   Environment:
     TERRACE_TARGET   gpu, emulator, cpu or host; a GPU if there is one, else host
     TERRACE_CPU      x86-64: only instructions that every machine has; else those there are
     TERRACE_EMULATOR what the emulator checks, such as races=off,counts=on
     TERRACE_DEVICE   the number of the GPU (or ACC_DEVICE_NUM), from 0
     TERRACE_PROFILE  summary: tables of kernels and copies at the end
     TERRACE_NOTIFY   1: a line for each launch and copy
     TERRACE_TRACE    a file for what ran when, %p in its name the process's number
     TERRACE_TIMES    all: both time each launch and copy, however short
     TERRACE_SYNC     1: each launch is waited for, so that an error is its own
     ACC_DEVICE_TYPE  host, as TERRACE_TARGET=host */
#ifndef TERRACE_H
#define TERRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The number in terrace_region.abi. */
#define TERRACE_ABI 5

/* A parameter of a kernel: what the program calls it, or null, its size, and of an
   address the alignments that the kernel and its fallback take it to have (else 1). */
struct terrace_param {
  const char *name;
  unsigned bytes;
  unsigned align;
  unsigned fallback_align;
  unsigned pad;
};

/* A kernel: its name in the PTX and its parameters. `fallback` is one that does the same
   and takes less of addresses, or null. `indices` is what launches must keep to where
   indices have 32 bits, as words; none where they have 64. With the flag 1 its blocks wait
   for each other, and a launch has no more of them along x than the device has room for at
   a time. */
struct terrace_kernel {
  const char *name;
  const struct terrace_param *params;
  unsigned num_params;
  unsigned flags;
  const char *fallback;
  const long *indices;
  unsigned long long num_indices;
};

/* The device code of one object file. `loaded` is the runtime's. */
struct terrace_image {
  const char *ptx;
  unsigned long long ptx_bytes;
  const struct terrace_kernel *kernels;
  unsigned num_kernels;
  unsigned pad;
  void *loaded;
};

/* A place in the source; 0 is not known. */
struct terrace_site {
  const char *file;
  unsigned line;
  unsigned column;
};

/* What the entry and the image of a region are on devices of compute capability `sm` (10
   times the major number plus the minor) and above; with the flag 1 on those of exactly
   that one, with 2 on those of the same major number. */
struct terrace_version {
  unsigned sm;
  unsigned flags;
  int (*gpu)(unsigned long long *);
  struct terrace_image *image;
};

/* A part of the program that can run elsewhere. Its entries take the arguments as words
   and write the results behind them: a number is one word, its bits at the low end and
   zeros above; an array its pointer and each size that its type leaves open. They give 0,
   or 1 more than the index of the site that failed. Either may be null. The flag 1 says
   that `cpu` is what runs where the environment does not say otherwise; `cpu_v3`, which may be
   null, is the same for machines with the instructions of x86-64-v3. `gpu` and `image`
   are for devices that none of the versions is for; the last one that fits is taken. */
struct terrace_region {
  unsigned abi;
  unsigned flags;
  const char *name;
  const char *file;
  unsigned line;
  unsigned column;
  int (*cpu)(unsigned long long *);
  int (*cpu_v3)(unsigned long long *);
  int (*gpu)(unsigned long long *);
  struct terrace_image *image;
  const struct terrace_site *sites;
  unsigned long long num_sites;
  const struct terrace_version *versions;
  unsigned long long num_versions;
};

enum {
  TERRACE_COPY = 0,
  TERRACE_COPYIN = 1,
  TERRACE_COPYOUT = 2,
  TERRACE_CREATE = 3,
  TERRACE_PRESENT = 4,
  TERRACE_NO_CREATE = 5,
  TERRACE_DELETE = 6,
  TERRACE_DEVICEPTR = 7,
  TERRACE_UPDATE_HOST = 8,
  TERRACE_UPDATE_DEVICE = 9,
  TERRACE_ATTACH = 10,
  TERRACE_DETACH = 11,
  TERRACE_FIRSTPRIVATE = 12 /* a copy of the region's own */
};

enum {
  TERRACE_WRITTEN = 1, /* the region writes the section */
  TERRACE_IMPLICIT = 2, /* from the analysis: may reach beyond what is used */
  TERRACE_FINALIZE = 4, /* exit data finalize */
  TERRACE_DYNAMIC = 8, /* enter data and exit data; else of a construct */
  TERRACE_ZERO = 16, /* copyout, create: what is not there yet begins as zeros */
  /* a part of each row that the pointers in the map before point to: `host` is the distance of
     its first byte from there */
  TERRACE_ROWS = 32,
  TERRACE_ALWAYS_IN = 64, /* copied in though it is present */
  TERRACE_ALWAYS_OUT = 128, /* copied out though it stays present */
  /* may reach beyond the program's arrays: only what can be read is copied in, and what
     changed is copied back. `device` is before an address that is in the array, or null */
  TERRACE_LOOSE = 256,
  /* what the region leaves may stay on the device, as the program says what its own code uses;
     `device` is before the number of the class of pointers that lead there */
  TERRACE_DEFER = 512,
  TERRACE_RESIDENT = 1024, /* the runtime's own: it stays there */
  /* times a number up to 255: sections of one that is not 0 may be the same memory, whole */
  TERRACE_GROUP = 65536,
  /* times a number up to 255: sections of one that is not 0 are parts of one object by their
     names, so that the smaller lie in the larger */
  TERRACE_OBJECT = 16777216
};

/* A section of memory. `host` is its first byte; for attach and detach the address of
   the pointer, with 8 bytes. A construct passes the same maps when it exits as when it
   entered. */
struct terrace_map {
  void *host;
  unsigned long long bytes;
  unsigned kind;
  unsigned flags;
  const char *name;
  void *device;
};

/* Queues: from 0; -1 waits until all is done; -2 the default one of `async` alone. */
enum {
  TERRACE_SYNC = -1,
  TERRACE_NOVAL = -2
};

/* Where a region runs: 0 as the C compiler made it, 1 terrace's code on the cores, 2
   the GPU. */
int terrace_target(const struct terrace_region *r);

/* The same of a region that terrace_pays is asked about next: no device is started, so
   2 says that there may be one. */
int terrace_could(const struct terrace_region *r);

/* Whether regions that were found run on their target, too, where they do so little that the
   statement itself is done before the target is asked for. */
extern int terrace_runs_short;

/* Whether regions have one thread on one core: a region that only threads make quicker is left to
   the statement then, where terrace_runs_short is 0. */
extern int terrace_one_core;

/* 0 where nothing stays on a device behind regions, because regions stay on the host or there is
   no GPU. Functions need not say what they use then. */
extern int terrace_tracks;

/* What a program found out about a region by measuring it: zeros at first. */
struct terrace_trials {
  unsigned long long words[48];
};

/* Where a call with so many operations runs that would run on the cores, 1 or 0: mostly as
   terrace_target says, a few times the other way, in the end where it was quicker. `sure` says
   that terrace's code is expected to be much quicker. Where `*began` is not 0 afterwards,
   terrace_tried is to be told where the call did run. */
int terrace_try(const struct terrace_trials *trials, double work, int sure,
                unsigned long long *began);
void terrace_tried(const struct terrace_trials *trials, double work, unsigned long long began,
                   int target);

/* The same within a call: iterations `from` to below `to` of a loop that ends in front of `end` run
   next where terrace_slice says, which makes a part of what is left `to`. The others are 0 at first, but
   `work`, the operations of the whole call if they are known. Where `began` is not 0
   afterwards, terrace_sliced is to be told where the part did run. */
struct terrace_slice {
  long from;
  long to;
  long end;
  long step;
  double work;
  double each;
  unsigned long long began;
  long growing;
};
int terrace_slice(const struct terrace_trials *trials, struct terrace_slice *slice, int sure);
void terrace_sliced(const struct terrace_trials *trials, struct terrace_slice *slice,
                    int target);

/* Whether data directives have a GPU to work on. */
int terrace_on_device(void);

/* Whether code for x86-64-v3 may run: the machine has its instructions, and TERRACE_CPU
   does not forbid them. */
int terrace_has_v3(void);

/* Enters data: `device` of each map is where the section is then (the host's address
   where there is no GPU, for deviceptr, and for no_create of what is not present). */
void terrace_data_enter(struct terrace_map *m, unsigned n, long queue, const char *file,
                        unsigned line);

/* Exits data; memory goes after the work that is queued. */
void terrace_data_exit(struct terrace_map *m, unsigned n, long queue, const char *file,
                       unsigned line);

/* Copies what is present, as TERRACE_UPDATE_HOST or TERRACE_UPDATE_DEVICE of each map
   says. What is not present is an error unless `if_present`. */
void terrace_update(struct terrace_map *m, unsigned n, long queue, int if_present,
                    const char *file, unsigned line);

/* Whether two sections overlap of which one is TERRACE_WRITTEN. */
int terrace_overlap(const struct terrace_map *m, unsigned n);

/* The part of an array with a table of pointers to rows that a region touches: `distance` is in
   bytes, `low` to below `high` are rows, of which `from` to below `to` surely have pointers, and
   `first` to below `end` are bytes from where these point. */
struct terrace_rows {
  const void *table;
  long distance;
  long low;
  long high;
  long from;
  long to;
  long first;
  long end;
  unsigned long long flags;
};

/* Whether rows of `n` such arrays meet each other, a table, or one of the sections, where one
   of both is written; 1 also where not all rows surely have pointers. */
int terrace_rows_meet(const struct terrace_rows *arrays, unsigned n,
                      const struct terrace_map *m, unsigned sections);

/* Whether a region with these sections has to stay on the host, because of one that is
   TERRACE_LOOSE: it is too large, or meets other data that may be another array's. */
int terrace_strays(const struct terrace_map *m, unsigned n);

/* Whether a region leaves the host for the device that terrace_could spoke of, which is
   started if it does. `known`: 0 it does not pay, 1 it does, 2 `estimate` is asked, which
   writes eight words at words[at]; with 4 added a directive asks for the region, and it
   stays only where the device is much slower. Where TERRACE_TARGET is set, whatever it
   would cost. Where a section is on the device already, a region that a directive asks
   for does, and no other: the program itself keeps that up to date. */
int terrace_pays(const struct terrace_region *r, int known,
                 int (*estimate)(unsigned long long *), unsigned long long *words, unsigned at,
                 const struct terrace_map *m, unsigned n);

/* Runs a region where terrace_target said. */
void terrace_run(const struct terrace_region *r, int target, unsigned long long *words,
                 long queue);

/* Begins a region that runs on the host because no device has code for it or, without a name,
   because arrays overlap or may reach too far, and ends the one that began last: between them
   the program's memory holds what a device has in its copies of it, changes are the copies',
   and nothing of this thread goes to a device. */
void terrace_host_begin(const char *name, const char *file, unsigned line);
void terrace_host_end(void);

/* How many arrays stay on a device behind their regions, by TERRACE_DEFER: of none nothing need
   be said. */
extern int terrace_resident;

/* The program's own code is about to use memory: so many bytes, or all that pointers of a class
   lead to. `how`: 1 it writes, 2 nobody will read what is there. */
void terrace_host_uses(const void *p, long bytes, unsigned how);
void terrace_host_uses_class(long of, unsigned how);

/* Memory that was allocated is about to be freed. */
void terrace_host_frees(void *p);

/* The program is about to run code that does not say what it uses: nothing stays on a device. */
void terrace_host_uses_all(void);

/* The next call is of a function that says what it uses. */
void terrace_host_follows(void);

/* A function that says it begins, with a note on its stack: 1 if its caller goes on saying it.
   It has arrays of its own; it ends. */
int terrace_host_begins(const int *note);
void terrace_host_holds(const int *note, const void *p, long bytes);
void terrace_host_ends(const int *note);

/* Waits for a queue, for all queues. */
void terrace_wait(long queue);
void terrace_wait_all(void);

/* Makes what is queued on `queue` from now on wait for what is queued on `on` now, or on
   all queues; the program goes on. Where `queue` is TERRACE_SYNC the program waits. */
void terrace_wait_on(long on, long queue);
void terrace_wait_all_on(long queue);

/* Where the variable of use_device is on the device. What is not present is an error
   unless `if_present`. */
void *terrace_use_device(void *host, int if_present, const char *name, const char *file,
                         unsigned line);

/* A copy of memory for a statement that changes it, and its end. */
void *terrace_copy_of(void *from, long bytes);
void terrace_copy_end(void *copy);

/* Where a host address is on the device; the address itself if it is not present. */
void *terrace_deviceptr(void *host);

/* What the entries of regions call. `op` is the index of a site; those that give an int
   give 0 or fail. */
unsigned long long terrace_gpu_alloc(unsigned long long bytes, unsigned op);
int terrace_gpu_free(unsigned long long ptr, unsigned op);
int terrace_gpu_copy(unsigned long long dst, unsigned long long src, unsigned long long bytes,
                     unsigned kind, unsigned op);
int terrace_gpu_copy_strided(unsigned long long dst, unsigned long long src, unsigned size,
                             unsigned rank, const long *words, unsigned kind, unsigned op);
int terrace_gpu_memset(unsigned long long ptr, unsigned long long bits, unsigned size,
                       unsigned long long count, unsigned op);
int terrace_gpu_launch(unsigned kernel, const unsigned long long *grid,
                       const unsigned long long *block, unsigned shared,
                       const unsigned long long *args, unsigned count, unsigned op);
int terrace_gpu_sync(unsigned op);
/* Whether it is wanted, and what the next launch does: arithmetic on floats of up to 32 bits
   and of 64, and least bytes. */
int terrace_gpu_profiled(void);
void terrace_gpu_work(double flops32, double flops64, double bytes);
int terrace_parallel_for(int (*body)(void *, long, long), void *env, long begin, long end,
                         long step);

#ifdef __cplusplus
}
#endif
#endif
