/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's state of one image of a program: its files, locks, threads. */
#ifndef TM_NATIVE_RECORDER_IMAGE_STATE_H
#define TM_NATIVE_RECORDER_IMAGE_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <threadmodel/model.h>
#include <threadmodel/sink.h>
#include <threadmodel/writer.h>

#include "layout/region.h"
#include "names/symbols.h"

struct tm__ring_reader;

/** A fact of a thread's, out of its ring. */
typedef struct tm__item {
    uint64_t time; ///< in ticks
    uint64_t order;
    struct tm__ring_reader *reader;
    tm_event event; ///< its object is an address; the value of a name: its source
    struct tm__native_object *object; ///< what is at that address; NULL: nothing
    struct tm__native_stack *stack;   ///< NULL: none
    uint32_t object_kind;
    int is_no_wait;  ///< the call that begins lost its processor, and nothing else
    int is_left_out; ///< another item has taken its place
    char name[16];   ///< of an event without a kind: a thread's new name, where that is
                     ///< not the handle of its peer
} tm__item;

/** An object that threads lock or wait for. */
typedef struct tm__native_object tm__native_object;
struct tm__definitions;

enum { TM__CHILDREN_MOST = 64, TM__STUCK_MOST = 64, TM__NOT_FORKED_MOST = 64 };

/** Threads that cannot go on, as was reported. */
typedef struct tm__stuck {
    size_t count;     ///< 0: no such report stands
    int64_t since_ns; ///< the last of them waits since
    struct {
        uint64_t thread;
        int64_t since_ns;
    } members[TM__STUCK_MOST];
    int64_t look_ns;    ///< of the next look
    int64_t ask_ns;     ///< the model is not asked before
    int64_t again_ns;   ///< nor before this, as long as the same threads wait
    int64_t stopped_ns; ///< when the process was last seen to be stopped
    uint64_t print;     ///< of the threads that waited when it was asked last
} tm__stuck;

typedef struct tm__image {
    uint64_t id;
    uint32_t pid;
    char name[64]; ///< that its first thread began with, and others inherit
    int is_wanted; ///< its threads did something to one another
    uint64_t nestings_left_out; ///< lock orders beyond those that a thread reports
    uint64_t nesting_thread;    ///< the first that acquired a lock while it owned one
    int has_ended;
    int has_switches;    ///< the kernel records when its threads have a processor
    int is_found;        ///< the process of that number is the one that runs it
    int has_left;        ///< it has recorded its end
    uint32_t parent_pid; ///< of the process that started it; 0: unknown
    uint32_t children[TM__CHILDREN_MOST]; ///< that it started, and that have no trace
    size_t child_count;
    char child_programs[256]; ///< what they run: "sh, cc1"
    struct {
        uint32_t task; ///< the kernel's number
        uint64_t thread;
    } not_forked[TM__NOT_FORKED_MOST]; ///< of the parent, that own a lock of this one
    size_t not_forked_count;
    int descriptor;      ///< of its process, -1: there is none
    int64_t stopped_ns;  ///< its process was seen to be stopped for so long
    int64_t stop_ns;     ///< it has been since; 0: it is not
    int64_t over_ns;     ///< when its process was seen to have ended; 0: it was not
    int ending;          ///< enum tm_ending
    int ending_status;   ///< exit status or signal
    uint64_t item_order; ///< of its latest item
    uint64_t seen_order; ///< as that was when its process seemed to have died
    char path[4096];     ///< of its trace
    tm_writer *writer;
    tm_model *model; ///< NULL: no deadlocks are looked for
    tm__symbols *symbols;
    struct tm__definitions *definitions;
    tm__native_object *objects; ///< by address and kind
    struct tm__handle *handles; ///< of its threads
    tm__item *items;            ///< that are not emitted yet, from item_first on
    size_t item_first, item_count, item_room;
    uint64_t items_emitted;
    size_t ordered_count; ///< so many of them are as they will be emitted
    uint64_t horizon;     ///< all before it was emitted, or waits for names alone
    uint64_t next_horizon;
    int64_t start_ns, last_ns; ///< of its first and its latest event
    int64_t begun_ns;          ///< when the first thread had an event; 0: none had
    uint64_t events;
    tm_event batch[256];
    size_t batch_count;
    int shows_paths;  ///< names of files are their paths
    int is_suspected; ///< the model has found deadlocks that nobody looked at yet
    tm__stuck stuck;
    struct tm__image *next;
} tm__image;

/** Define something, in the trace and in the model. */
#define TM__IMAGE_DEFINE(image, what, definition)                                      \
    do {                                                                               \
        const tm_sink *trace =                                                         \
            (image)->writer ? tm_writer_sink((image)->writer) : NULL;                  \
        const tm_sink *live = (image)->model ? tm_model_sink((image)->model) : NULL;   \
                                                                                       \
        if (trace)                                                                     \
            trace->what(trace->payload, definition);                                   \
        if (live)                                                                      \
            live->what(live->payload, definition);                                     \
    } while (0)

#endif
