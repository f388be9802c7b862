/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, classes, methods, stacks and objects of a whole recording. Chunks number
 * most of them anew; here each is known once, and its definition is emitted once.
 */
#ifndef TM_FORMATS_JFR_JFR_ENTITIES_H
#define TM_FORMATS_JFR_JFR_ENTITIES_H

#include <threadmodel/sink.h>

#include "base/triple_map.h"
#include "formats/jfr/pools.h"

/** Bits of what a stack shows. */
enum tm__jfr_stack_sight {
    TM__JFR_SIGHT_JOIN = 1,       ///< Thread.join waits
    TM__JFR_SIGHT_NOTIFY_ALL = 2, ///< the innermost method is Object.notifyAll
    TM__JFR_SIGHT_SLEEP = 4       ///< a virtual thread parks in Thread.sleep
};

/** Number spaces of objects. */
enum tm__jfr_object_kind {
    TM__JFR_OBJECT_MONITOR, ///< by the address of the JVM's monitor
    TM__JFR_OBJECT_BLOCKER, ///< of a park, by the address of the object on the heap
    TM__JFR_OBJECT_THREAD,  ///< that was joined: `address` is the thread's id
    TM__JFR_OBJECT_LOCKED,  ///< whose monitor was inflated, by its address on the heap
    TM__JFR_OBJECT_SOCKET,  ///< an endpoint: `address` is 1 more than texts, its name
    TM__JFR_OBJECT_FILE,    ///< the same
    TM__JFR_OBJECT_UNIT,    ///< a label of units: `address` is 1 more than texts, or 0
    TM__JFR_OBJECT_ONCE,    ///< the initialisation of a class: `address` as of a unit
};

typedef struct tm__jfr_thread {
    uint64_t id;
    uint64_t os_id;
    uint32_t name;  ///< texts
    uint32_t group; ///< texts
    uint32_t flags; ///< enum tm_thread_flag
    uint32_t is_queued;
} tm__jfr_thread;

typedef struct tm__jfr_object {
    uint64_t id;
    uint64_t address;
    uint32_t class_; ///< class's id; 0: unknown
    uint16_t kind;   ///< enum tm__jfr_object_kind
    uint16_t jvm;
} tm__jfr_object;

typedef struct tm__jfr_method {
    uint32_t class_;
    uint32_t name;      ///< texts
    uint32_t signature; ///< texts
} tm__jfr_method;

typedef struct tm__jfr_entities {
    tm__memory *memory;
    tm__jfr_pools *pools;
    uint32_t jvm; ///< whose chunk it is: of several JVMs in one file, from 0

    tm__strings texts;
    tm__map class_map; ///< name: class's id
    uint32_t *classes; ///< names by id - 1
    uint32_t class_count;
    uint32_t class_capacity;
    tm__triple_map method_map; ///< method's id
    tm__jfr_method *methods;
    uint32_t method_count;
    uint32_t method_capacity;
    tm__strings stacks;    ///< frames as bytes, and flags behind them
    uint8_t *stack_sights; ///< enum tm__jfr_stack_sight, by id - 1
    uint32_t stack_capacity;
    tm__map thread_map;
    /** A JVM gives a thread one key for its whole life, and a chunk that was cut may
     * lack its constant: (key, its upper half, JVM): threads[] + 1, as last defined. */
    tm__triple_map thread_keys;
    tm__jfr_thread *threads;
    uint32_t thread_count;
    uint32_t thread_capacity;
    uint32_t *thread_queue; ///< threads[] to be defined
    uint32_t queue_count;
    uint32_t queue_capacity;
    tm__map object_map;
    tm__jfr_object *objects;
    uint32_t object_count;
    uint32_t object_capacity;

    uint32_t classes_emitted, methods_emitted, stacks_emitted, objects_emitted;
    uint32_t queue_emitted;
    uint64_t unknown_threads; ///< keys that no constant explains
    int has_virtual;          ///< a virtual thread was seen
    int keeps_stacks;         ///< stacks and methods are not emitted

    tm__jfr_text text;
    tm__jfr_text slashed;
    tm_frame *frames;
    uint32_t frame_capacity;
    uint32_t join_class, object_class, wait_name[2], join_name, notify_all_name;
    uint32_t virtual_name, sleep_name;
} tm__jfr_entities;

#endif
