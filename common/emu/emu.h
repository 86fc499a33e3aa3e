/* The emulator's own structures.
 *
 * kernel.cu is compiled with instrumentation that calls a hook before each memory access (hooks.c).
 * Each CUDA thread is a fiber (fiber.c), run in turn by the scheduler (sched.c).  The hook only
 * writes the access to the thread's log.  The log is read twice: by the race checks (race.c), each
 * time the thread stops or synchronises; and by the cost model (cost.c), once all 32 threads of a
 * warp have stopped, for it must see their accesses side by side. */
#ifndef EMU_H
#define EMU_H

#include "../backend.h"
#include <pthread.h>

enum {
    WARP = 32,
    MAX_THREADS = 1024,
    MAX_WORKERS = 256,
    STACK_SIZE = 1 << 16,
    MAX_DYNAMIC = 227 << 10
};

/* ---- The log ------------------------------------------------------------------------------ */

enum access_kind { LOAD, STORE, ATOMIC };
enum space { SPACE_NONE, SPACE_GLOBAL, SPACE_SHARED }; /* none: stack, constants */

struct access {
    uintptr_t address;
    uint32_t pc; /* the program is linked below 4 GB */
    uint8_t size;
    uint8_t kind;
    uint8_t strong; /* volatile or atomic: two such accesses never race */
    uint8_t space;  /* filled in by race_check() */
};

struct log {
    size_t capacity;
    struct access *lane[WARP];
    struct log *next_free;
};

/* ---- Threads, warps, blocks --------------------------------------------------------------- */

enum state {
    RUNNABLE,
    LOG_FULL,
    SPINNING, /* reads the same volatile or atomic again and again */
    AT_SYNCWARP,
    AT_SHUFFLE,
    AT_BARRIER,
    AT_NAMED, /* a barrier of some of the block's warps */
    EXITED
};

/* "Everything that `who` did before `tick`." */
struct stamp {
    uint32_t who, tick;
};

struct clock {
    int count, capacity;
    struct stamp *stamps;
};

struct async_copy {
    void *dst;
    const void *src;
    uint32_t size, zfill;
    uint32_t pc;
    int group;
};

struct thread {
    struct access *next, *end; /* where the next access goes; these two come first: the hook */
    uintptr_t stack;           /* low end */
    struct access *begin, *checked;
    void *sp;
    struct block *block;
    struct uint3 index;
    int number; /* within the block */
    enum state state;
    const char *file; /* where it waits */
    int line;
    unsigned mask;
    /* The named barrier that it waits at, or met others at last; the tick when that was. */
    unsigned named, named_count;
    uint32_t named_tick;
    uintptr_t spin_address;
    struct access *spin_at;
    uint8_t spin_size;
    bool spin_seen; /* spin_value stood there when it last looked */
    char spin_value[16];
    uint64_t shuffle[2];
    unsigned shuffles;
    /* Happens-before; see race.c. */
    bool dirty;
    uint32_t fence_tick, fence_epoch;
    struct clock known;
    int num_acquired;
    uintptr_t acquired[8];
    /* cp.async */
    int num_copies, copies_capacity;
    int groups; /* committed so far */
    struct async_copy *copies;
};

/* A read of shared memory that nobody had written yet. */
struct early_read {
    uintptr_t address;
    uint32_t pc;
    int thread;
};

struct word; /* the history of four bytes of memory; race.c */

struct warp {
    uint32_t sync_tick;
    struct log *log;
};

struct block {
    uint64_t number;
    struct uint3 index;
    int live;             /* threads that have not returned */
    uint32_t start;       /* the first tick */
    uint32_t tick, epoch; /* epoch: the tick of the last barrier */
    uint32_t clean;       /* all global writes before this tick are fenced */
    struct clock known;
    int num_early;
    struct early_read early[64]; /* since the last barrier; the first ones will do */
    struct word *shadow;         /* of shared memory */
    char *stacks, *saved; /* saved: shared memory while another block runs on the OS thread */
    struct warp warps[MAX_THREADS / WARP];
    struct thread threads[MAX_THREADS];
    struct block *next;
};

/* ---- One launch --------------------------------------------------------------------------- */

struct emu_config { /* as in cuda_runtime.h, for C++ */
    struct uint3 grid, block;
    size_t smem;
};

struct launch {
    const char *kernel; /* its name, without the parameters */
    struct uint3 grid, block;
    size_t smem;
    void (*body)(void *);
    void *closure;
    int threads, warps;
    uint64_t blocks, limit; /* limit: resident at once */
    uint32_t base;          /* ticks below it belong to earlier launches */
    /* Shared by the OS threads. */
    uint64_t next_block, resident, progress;
    uint32_t last_tick;
};
extern struct launch launch;

/* What the requests of one instruction cost. */
struct site {
    uint32_t pc;
    uint8_t size, kind, space, used;
    uint64_t requests, accesses; /* of warps, of threads */
    uint64_t passes, least;      /* sectors of global memory, passes through the banks of shared */
};

struct sites {
    size_t count, capacity;
    struct site *table; /* hashed */
};

/* An OS thread that runs blocks. */
struct worker {
    void *sp;
    struct block *current; /* whose shared memory is in place */
    struct block *resident;
    struct log *free_logs;
    char *signal_stack;
    struct sites sites;
    uint64_t blocks;
    double barriers;     /* that a thread passes, on average over its block */
    uint64_t idle_since; /* the value of launch.progress that it saw without being able to go on */
};
extern _Thread_local struct worker *worker;

/* The thread that runs now; outside kernels, one whose "stack" is all of memory. */
extern _Thread_local struct thread *emu_thread;

/* ---- Options ------------------------------------------------------------------------------ */

struct device {
    const char *cc, *name;
    int major, minor, sms, threads_sm, blocks_sm, smem_sm, smem_block, smem_reserved;
}; /* smem_block: with the kernel's consent; smem_reserved: kept of each block by the system */
extern const struct device *device;
extern int num_workers;
extern bool want_lines;
extern const char *trace_file;

/* ---- fiber.c ------------------------------------------------------------------------------ */

/* Prepares a thread to start in entry(). */
void fiber_init(struct thread *t, void (*entry)(void));
void fiber_resume(struct thread *t);
/* Back to the scheduler. */
void fiber_yield(struct thread *t);
/* False where the thread has written below its stack. */
bool fiber_stack_ok(const struct thread *t);

/* ---- hooks.c ------------------------------------------------------------------------------ */

struct log *log_take(void);
void log_give(struct log *log);
void log_grow(struct log *log);

/* ---- race.c ------------------------------------------------------------------------------- */

void race_launch(void); /* forgets the flags of the launch before */
void race_block(struct block *b);
void race_barrier(struct block *b); /* also at the block's end */
void race_named(struct block *b, unsigned id);
void race_check(struct thread *t); /* everything in the log since the last time */
void race_acquire(struct thread *t, uintptr_t address);
void race_release(struct thread *t, uintptr_t address);
void race_fence(struct thread *t);
/* cp.async: bytes that must not be touched, and their arrival. */
void race_copy_start(struct thread *t, const struct async_copy *copy);
void race_copy_end(struct thread *t, const struct async_copy *copy);
struct word *race_shadow(size_t bytes);
void race_shadow_free(struct word *shadow, size_t bytes);

/* ---- cost.c ------------------------------------------------------------------------------- */

/* True where all threads of the warp have the same accesses so far: then the log may be emptied
 * in the middle of a long loop. */
bool cost_convergent(struct block *b, int warp);
/* Counts the warp's requests and empties the log. */
void cost_flush(struct block *b, int warp);
/* Adds the worker's sites to the problem's. */
void cost_merge(struct worker *w);

struct totals {
    double requests[2][2], accesses[2][2], passes[2][2], conflicts; /* [space - 1][is a store] */
    double floats;                                                  /* global, read and written */
    double blocks, barriers;                                        /* barriers: all blocks */
};
void cost_totals(struct totals *out);
const struct sites *cost_sites(void);
void cost_reset(void);
void trace_open(void);
void trace_write(void);

/* ---- symbols.c ---------------------------------------------------------------------------- */

/* Shared memory: the thread-local data of the program, as offsets from its start. */
extern size_t shared_low, shared_high, dynamic_offset;
uintptr_t shared_base(void);
/* Static shared memory of a kernel. */
size_t shared_static_size(const void *func);
void symbols_open(void);
/* The name of a function without its parameters. */
void function_name(const void *func, char *out, size_t size);
/* The array that holds an address (of shared memory: an offset) and its size in bytes; returns the
 * bytes from its start. */
size_t place_name(uintptr_t address, enum space space, char *out, size_t size, size_t *extent);

struct source {
    const char *file; /* NULL: unknown */
    int line;
};
/* The source lines of these program counters; needs addr2line. */
void source_lines(const uint32_t *pcs, size_t count, struct source *out);
/* One line of a file, without the blanks around it. */
void source_text(const struct source *s, char *out, size_t size);

/* ---- runtime.c ---------------------------------------------------------------------------- */

struct allocation {
    uintptr_t base;
    size_t size;
    struct word *shadow;
    void *map;
    size_t map_size;
};
struct allocation *allocation_of(uintptr_t address);
/* The kernel's argument that points into the allocation, at or before the address; NULL: none. */
const char *argument_name(const struct allocation *m, uintptr_t address, uintptr_t *start);
/* The allocation whose surroundings hold the address, for messages. */
struct allocation *allocation_near(uintptr_t address);
/* Resident blocks an SM; *limiter, unless NULL, names what limits them. */
int blocks_per_sm(int threads, size_t smem, const char **limiter);
void runtime_open(void);

/* ---- report.c ----------------------------------------------------------------------------- */

/* One side of a report. */
struct party {
    const char *what; /* "write", "read", ... */
    uint64_t block;
    int thread;
    uint32_t pc; /* 0: `file` and `line` instead */
    const char *file;
    int line;
};
struct party party_of(const struct thread *t, const char *what, uint32_t pc);
struct party party_waiting(const struct thread *t, const char *what);

/* Prints what was found, once for each pair of lines.  address 0: none; b may be NULL.  `advice`
 * says what to do. */
void report(const char *title, uintptr_t address, const struct party *a, const struct party *b,
            const char *advice);
/* report(), then the end of the program: nothing sensible can follow. */
void report_fatal(const char *title, uintptr_t address, const struct party *a,
                  const struct party *b, const char *advice) __attribute__((noreturn));
/* How often report() was called since the last time. */
uint64_t report_count(void);

/* ---- sched.c ------------------------------------------------------------------------------ */

void run_launch(void);
void thread_wait(struct thread *t, enum state state, const char *file, int line);

#endif
