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
    TM__JFR_OBJECT_UNIT,    ///< a label of units: `address` is 1 more than texts, or 0
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

/** @return TM_OK or TM_ENOMEM; to be freed either way */
int tm__jfr_entities_init(tm__jfr_entities *entities, tm__memory *memory,
                          tm__jfr_pools *pools);

/* What a key of the chunk stands for; 0: the key is 0. @return TM_OK or TM_ENOMEM */
int tm__jfr_thread_id(tm__jfr_entities *entities, uint64_t key, uint64_t *id);
int tm__jfr_class_id(tm__jfr_entities *entities, uint64_t key, uint32_t *id);
int tm__jfr_stack_id(tm__jfr_entities *entities, uint64_t key, uint32_t *id);

/** The id of a thread by Java's own number for it; 0: it has none. */
uint64_t tm__jfr_java_thread_id(const tm__jfr_entities *entities, uint64_t java_id);

/** Why a monitor was inflated, by the key of the cause. @return enum tm_inflation, or
 * TM_ENOMEM */
int tm__jfr_inflation(tm__jfr_entities *entities, uint64_t key);

/**
 * The id of a thread by Java's own number, defined by this name where no event told
 * more.
 * @param name  texts
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_java_thread(tm__jfr_entities *entities, uint64_t java_id, uint32_t name,
                        uint64_t *id);

/** The id of a method. @return TM_OK or TM_ENOMEM */
int tm__jfr_method_intern(tm__jfr_entities *entities, tm__jfr_method method,
                          uint32_t *id);

/** Put a frame of a stack that is to be interned. @return TM_OK or TM_ENOMEM */
int tm__jfr_frame_put(tm__jfr_entities *entities, uint32_t number, tm_frame frame);

/** The id of the stack of the frames that were put. @return TM_OK or TM_ENOMEM */
int tm__jfr_stack_intern(tm__jfr_entities *entities, uint32_t count, uint64_t truncated,
                         uint32_t *id);

/** The id of the class of a name. @return TM_OK or TM_ENOMEM */
int tm__jfr_class_intern(tm__jfr_entities *entities, uint32_t name, uint32_t *id);

/** The id of an object. @return TM_OK or TM_ENOMEM */
int tm__jfr_object_id(tm__jfr_entities *entities, int kind, uint64_t address,
                      uint32_t class_, uint64_t *id);

/** @return enum tm__jfr_stack_sight of a stack */
uint32_t tm__jfr_stack_sight(const tm__jfr_entities *entities, uint32_t id);

/**
 * Read a string into entities->text, through the pool.
 * @return enum tm__jfr_text_kind, or TM_ENOMEM
 */
int tm__jfr_entity_read(tm__jfr_entities *entities, uint64_t offset);

/** Read a string where a cursor stands, through the pool. @return TM_OK, TM_ENOMEM */
int tm__jfr_entity_text(tm__jfr_entities *entities, uint64_t offset, uint32_t *text);

/** Emit what was not emitted yet; may be called again after a failure. */
int tm__jfr_entities_emit(tm__jfr_entities *entities, const tm_sink *sink);

void tm__jfr_entities_free(tm__jfr_entities *entities);

#endif
