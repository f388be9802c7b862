/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/frames.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

#include "names/c_library.h"
#include "names/libdw.h"

enum { PAGE_BYTES = 4096, PAGES_KEPT = 16, STOP_MS = 50 };

/* Numbers of registers, as DWARF has them. */
#if defined(__x86_64__)
enum { REGISTERS = 17, STACK_POINTER = 7, HAS_PC = 1, PC = 16 };
#elif defined(__aarch64__)
enum { REGISTERS = 32, STACK_POINTER = 31, HAS_PC = 0, PC = 0 };
#else
enum { REGISTERS = 0, STACK_POINTER = 0, HAS_PC = 0, PC = 0 };
#endif

/* The thread that is walked, and its registers where it was stopped. */
typedef struct walk {
    tm__target *target;
    tm__task *task;
    const uint64_t *registers; ///< NULL: its stack pointer alone is known
    uint64_t pc;
} walk;

static walk the_walk;

/* Pages of the stack that is walked. */
static struct {
    uint64_t address;
    unsigned char bytes[PAGE_BYTES];
} the_pages[PAGES_KEPT];

static int no_thread(Dwfl *dwfl, void *process, void **thread)
{
    (void)dwfl;
    (void)process;
    (void)thread;
    return 0;
}

static bool get_thread(Dwfl *dwfl, int tid, void *process, void **thread)
{
    (void)dwfl;
    (void)tid;
    (void)process;
    *thread = &the_walk;
    return true;
}

static bool read_word(Dwfl *dwfl, uint64_t address, uint64_t *word, void *process)
{
    uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1);
    size_t slot = page / PAGE_BYTES % PAGES_KEPT;

    (void)dwfl;
    (void)process;
    if (address - page > PAGE_BYTES - sizeof(*word))
        return tm__target_read(the_walk.target, address, word, sizeof(*word));
    if (the_pages[slot].address != page) {
        the_pages[slot].address = 0;
        if (!tm__target_read(the_walk.target, page, the_pages[slot].bytes, PAGE_BYTES))
            return false;
        the_pages[slot].address = page;
    }
    memcpy(word, the_pages[slot].bytes + (address - page), sizeof(*word));
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *payload)
{
    const walk *it = payload;
    const tm__libdw *libdw = tm__symbols_libdw(it->target->symbols);

    if (it->registers) {
        if (!libdw->dwfl_thread_state_registers(thread, 0, REGISTERS, it->registers))
            return false;
    } else if (!libdw->dwfl_thread_state_registers(thread, STACK_POINTER, 1,
                                                   &it->task->stack_pointer) ||
               (HAS_PC &&
                !libdw->dwfl_thread_state_registers(thread, PC, 1, &it->pc))) {
        return false;
    }
    libdw->dwfl_thread_state_register_pc(thread, it->pc);
    return true;
}

static const tm__dwfl_thread_callbacks CALLBACKS = {
    .next_thread = no_thread,
    .get_thread = get_thread,
    .memory_read = read_word,
    .set_initial_thread_registers = set_registers,
};

static int step(Dwfl_Frame *frame, void *payload)
{
    enum { GO_ON, STOP };
    tm__task *task = the_walk.task;
    const tm__libdw *libdw = payload;
    uint64_t pc;

    if (!libdw->dwfl_frame_pc(frame, &pc, NULL) || pc == 0)
        return STOP;
    if (task->frame_count == TM__DUMP_FRAMES_MOST)
        return STOP;
    task->frames[task->frame_count++] = pc;
    return GO_ON;
}

static int is_ready(tm__target *target)
{
    const tm__libdw *libdw =
        target->symbols ? tm__symbols_libdw(target->symbols) : NULL;
    struct Dwfl *dwfl = libdw ? tm__symbols_dwfl(target->symbols) : NULL;

    if (!dwfl || REGISTERS == 0)
        return 0;
    if (!target->is_attached)
        target->is_attached =
            libdw->dwfl_attach_state(dwfl, NULL, (int)target->pid, &CALLBACKS, target);
    return target->is_attached;
}

/* A function whose frame pointer is not known looks like the end of a stack. A stack
 * ends in the C library, which began the thread, or where the program begins; a
 * function without a name may be that, and of Go's threads each is. */
static int ends_early(tm__target *target, const tm__task *task)
{
    const tm__symbol *chain, *outermost;
    size_t last = task->frame_count - 1, count;

    if (strcmp(target->runtime, "Go") == 0)
        return 0;
    count = tm__frame_names(target, task->frames[last], last == 0, &chain);
    outermost = count ? &chain[count - 1] : NULL;
    return outermost && *outermost->function && !tm__is_c_library(outermost->module) &&
           strcmp(outermost->function, "_start") != 0 &&
           strncmp(outermost->function + strspn(outermost->function, "_"), "clone",
                   5) != 0;
}

static void walk_thread(tm__target *target, tm__task *task, uint64_t pc,
                        const uint64_t *registers)
{
    const tm__libdw *libdw = tm__symbols_libdw(target->symbols);

    memset(&the_pages, 0, sizeof(the_pages));
    the_walk = (walk){target, task, registers, pc};
    task->frame_count = 0;
    /* To end at a frame without unwind information is an error, too. */
    task->is_cut =
        libdw->dwfl_getthread_frames(tm__symbols_dwfl(target->symbols), (int)task->tid,
                                     step, (void *)(uintptr_t)libdw) != 0;
    if (task->frame_count == 0) {
        task->frames[task->frame_count++] = pc;
        task->is_cut = 1;
    }
    task->is_cut |= ends_early(target, task);
}

void tm__frames_read(tm__target *target)
{
    if (!is_ready(target))
        return;
    for (size_t i = 0; i < target->task_count; i++) {
        tm__task *task = &target->tasks[i];

        if (!task->has_moved)
            continue;
        if (task->program_counter)
            walk_thread(target, task, task->program_counter, NULL);
        else
            task->is_cut = task->state != 'Z';
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* @return 0: it does not stop */
static int stop(const tm__task *task)
{
    const struct timespec moment = {0, 20000};
    uint64_t begin = now_ns();
    int status;

    if (ptrace(PTRACE_SEIZE, (pid_t)task->tid, NULL, NULL) != 0)
        return 0;
    if (ptrace(PTRACE_INTERRUPT, (pid_t)task->tid, NULL, NULL) != 0)
        return 0;
    while (waitpid((pid_t)task->tid, &status, __WALL | WNOHANG) != (pid_t)task->tid) {
        if (now_ns() - begin > (uint64_t)STOP_MS * 1000000)
            return 0;
        nanosleep(&moment, NULL);
    }
    return WIFSTOPPED(status);
}

/* @return 0: not on this processor */
static int read_registers(const tm__task *task, uint64_t *registers, uint64_t *pc)
{
#if defined(__x86_64__)
    struct user_regs_struct all;
    struct iovec room = {&all, sizeof(all)};

    if (ptrace(PTRACE_GETREGSET, (pid_t)task->tid, (void *)NT_PRSTATUS, &room) != 0)
        return 0;
    const uint64_t in_order[REGISTERS] = {
        all.rax, all.rdx, all.rcx, all.rbx, all.rsi, all.rdi, all.rbp, all.rsp, all.r8,
        all.r9,  all.r10, all.r11, all.r12, all.r13, all.r14, all.r15, all.rip};
    memcpy(registers, in_order, sizeof(in_order));
    *pc = all.rip;
    return 1;
#elif defined(__aarch64__)
    struct user_regs_struct all;
    struct iovec room = {&all, sizeof(all)};

    if (ptrace(PTRACE_GETREGSET, (pid_t)task->tid, (void *)NT_PRSTATUS, &room) != 0)
        return 0;
    memcpy(registers, all.regs, 31 * sizeof(*registers));
    registers[31] = all.sp;
    *pc = all.pc;
    return 1;
#else
    (void)task;
    (void)registers;
    (void)pc;
    return 0;
#endif
}

void tm__frames_read_stopped(tm__target *target)
{
    uint64_t registers[REGISTERS ? REGISTERS : 1], pc;

    if (!is_ready(target))
        return;
    for (size_t i = 0; i < target->task_count; i++) {
        tm__task *task = &target->tasks[i];
        uint64_t begin;

        if (!task->is_cut || task->state == 'Z' ||
            task->frame_count == TM__DUMP_FRAMES_MOST)
            continue;
        begin = now_ns();
        if (!stop(task))
            continue;
        if (read_registers(task, registers, &pc))
            walk_thread(target, task, pc, registers);
        ptrace(PTRACE_DETACH, (pid_t)task->tid, NULL, NULL);
        task->was_stopped = 1;
        target->stopped++;
        target->stopped_ns += now_ns() - begin;
    }
}

/* Names of an address. */
typedef struct known {
    uint64_t key;
    size_t count;
    UT_hash_handle hh;
    tm__symbol chain[];
} known;

static known *the_names;

size_t tm__frame_names(tm__target *target, uint64_t address, int is_innermost,
                       const tm__symbol **chain)
{
    static tm__symbol found[TM__INLINED_MOST];
    uint64_t key = address - !is_innermost;
    size_t count;
    known *it;

    HASH_FIND(hh, the_names, &key, sizeof(key), it);
    if (!it) {
        if (!target->symbols)
            return 0;
        count = tm__symbols_find_code(target->symbols, key, found);
        it = calloc(1, sizeof(*it) + count * sizeof(*found));
        if (!it)
            return 0;
        it->key = key;
        it->count = count;
        memcpy(it->chain, found, count * sizeof(*found));
        HASH_ADD(hh, the_names, key, sizeof(it->key), it);
    }
    *chain = it->chain;
    return it->count;
}

const char *tm__frame_function(tm__target *target, uint64_t address, int is_innermost)
{
    const tm__symbol *chain;
    size_t count = tm__frame_names(target, address, is_innermost, &chain);

    return count ? chain[count - 1].function : "";
}

int tm__is_of_recorder(const tm__symbol *frame)
{
    static const char file[] = "libthreadmodel-preload.so";

    return strncmp(frame->module, file, sizeof(file) - 1) == 0;
}

void tm__frames_forget(void)
{
    known *it, *next;

    HASH_ITER(hh, the_names, it, next)
    {
        HASH_DEL(the_names, it);
        free(it);
    }
}
