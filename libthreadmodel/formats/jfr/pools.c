/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoint events carry constants: threads, classes, methods, stacks, symbols and
 * many that nobody here asks for.
 *
 *     checkpoint: start │ duration │ distance to the one before │ flags │ pools
 *     pool:       type │ count │ key, value │ key, value │ ...
 *
 * A value's length is known only by reading it, so all are stepped over, and the
 * place of those in the pools that matter is kept. Events refer to constants of any
 * checkpoint of their chunk, mostly of later ones: all checkpoints are taken in before
 * the first event is decoded. Most constants are never asked for.
 */
#include "formats/jfr/pools.h"

#include "base/error.h"
#include "formats/jfr/program.h"

enum { SLOTS = TM__JFR_CONSTANT_SLOTS };

#define BIT(slot) (UINT64_C(1) << (slot))

static const struct {
    const char *type;
    const char *names[SLOTS];
    uint64_t texts;
} kinds[TM__JFR_POOL_COUNT] = {
    [TM__JFR_POOL_THREAD] = {"java.lang.Thread",
                             {"osName", "osThreadId", "javaName", "javaThreadId",
                              "group", "virtual"},
                             BIT(TM__JFR_THREAD_OS_NAME) |
                                 BIT(TM__JFR_THREAD_JAVA_NAME)},
    [TM__JFR_POOL_GROUP] = {"jdk.types.ThreadGroup", {"name"}, BIT(TM__JFR_GROUP_NAME)},
    [TM__JFR_POOL_CLASS] = {"java.lang.Class", {"name"}, 0},
    [TM__JFR_POOL_METHOD] = {"jdk.types.Method", {"type", "name", "descriptor"}, 0},
    [TM__JFR_POOL_STACK] = {"jdk.types.StackTrace",
                            {"truncated", "frames"},
                            BIT(TM__JFR_STACK_FRAMES)},
    [TM__JFR_POOL_SYMBOL] = {"jdk.types.Symbol", {"string"}, BIT(TM__JFR_SYMBOL_TEXT)},
    [TM__JFR_POOL_STRING] = {"java.lang.String", {NULL}, 0},
    [TM__JFR_POOL_CAUSE] = {"jdk.types.InflateCause",
                            {"cause"},
                            BIT(TM__JFR_CAUSE_TEXT)},
    [TM__JFR_POOL_STATE] = {"jdk.types.ThreadState", {"name"}, BIT(TM__JFR_STATE_NAME)},
};

static const char *const frame_names[] = {"method", "lineNumber", "bytecodeIndex"};

void tm__jfr_pools_init(tm__jfr_pools *pools, tm__memory *memory,
                        tm__jfr_metadata *metadata)
{
    *pools = (tm__jfr_pools){.memory = memory, .metadata = metadata};
    for (int i = 0; i < TM__JFR_POOL_COUNT; i++)
        tm__map_init(&pools->pools[i].map, memory);
}

/* Types of constants are marked with the number of their pool, counted from 1. */
static int compile(tm__jfr_pools *pools, uint32_t type, int kind)
{
    tm__jfr_metadata *metadata = pools->metadata;
    tm__jfr_pool *pool = &pools->pools[kind];
    uint32_t frame;
    int rc;

    metadata->types[type].role = (uint8_t)(kind + 1);
    if (kind == TM__JFR_POOL_STRING)
        return TM_OK;
    rc = tm__jfr_compile(metadata, &pool->program, type, kinds[kind].names, SLOTS,
                         kinds[kind].texts);
    pool->is_compiled = rc == TM_OK;
    if (rc < 0 || kind != TM__JFR_POOL_STACK)
        return rc;
    frame = tm__jfr_element_of(metadata, pool->program, TM__JFR_STACK_FRAMES);
    if (frame == TM__NONE)
        return TM_OK;
    return tm__jfr_compile(metadata, &pools->frame, frame, frame_names,
                           sizeof(frame_names) / sizeof(*frame_names), 0);
}

int tm__jfr_pools_start(tm__jfr_pools *pools, const uint8_t *base, const uint8_t *limit)
{
    tm__jfr_metadata *metadata = pools->metadata;

    pools->base = base;
    pools->limit = limit;
    pools->frame = (tm__jfr_program){0};
    for (int i = 0; i < TM__JFR_POOL_COUNT; i++) {
        tm__map_clear(&pools->pools[i].map);
        pools->pools[i].count = 0;
        pools->pools[i].is_compiled = 0;
    }
    for (uint32_t type = 0; type < metadata->type_count; type++) {
        const char *name = tm__jfr_type_name(metadata, &metadata->types[type]);

        for (int i = 0; i < TM__JFR_POOL_COUNT; i++) {
            int rc = strcmp(name, kinds[i].type) == 0 ? compile(pools, type, i) : TM_OK;

            if (rc < 0 && rc != TM_EDAMAGED)
                return rc;
        }
    }
    return TM_OK;
}

/* The first constant of a key stands: later ones repeat it. */
static int keep(tm__jfr_pools *pools, tm__jfr_pool *pool, uint64_t key,
                const uint8_t *at)
{
    if (tm__map_find(&pool->map, key) != TM__NONE)
        return TM_OK;
    if (tm__reserve(pools->memory, &pool->constants, &pool->capacity,
                    (size_t)pool->count + 1, sizeof(*pool->constants)) < 0 ||
        tm__map_put(&pool->map, key, pool->count) < 0)
        return tm__failure();
    pool->constants[pool->count++] =
        (tm__jfr_constant){(uint32_t)(at - pools->base), TM__NONE};
    return TM_OK;
}

/* A program that steps over one value of a type, which may be a plain string. */
static int find_skipper(tm__jfr_pools *pools, uint32_t type, tm__jfr_program *program)
{
    const char *name =
        tm__jfr_type_name(pools->metadata, &pools->metadata->types[type]);

    *program = (tm__jfr_program){0};
    if (!pools->metadata->types[type].field_count)
        return strcmp(name, "java.lang.String") == 0 ? TM_OK : TM_EDAMAGED;
    return tm__jfr_type_skipper(pools->metadata, type, program);
}

static int add_pool(tm__jfr_pools *pools, tm__jfr_cursor *cursor, const uint8_t *end)
{
    uint64_t id = tm__jfr_number(cursor);
    uint64_t count = tm__jfr_number(cursor);
    uint32_t type = tm__map_find(&pools->metadata->type_map, id);
    tm__jfr_pool *pool = NULL;
    tm__jfr_program skipper;
    int rc;

    if (type == TM__NONE)
        return TM_EDAMAGED;
    rc = find_skipper(pools, type, &skipper);
    if (rc < 0)
        return rc;
    if (pools->metadata->types[type].role &&
        pools->metadata->types[type].role < TM__JFR_EVENT_ROLE)
        pool = &pools->pools[pools->metadata->types[type].role - 1];
    for (; count > 0; count--) {
        uint64_t key = tm__jfr_number(cursor);
        const uint8_t *at = cursor->at;

        if (skipper.count)
            tm__jfr_run(pools->metadata, skipper, cursor, NULL, NULL);
        else
            tm__jfr_skip_text(cursor);
        if (cursor->is_broken || cursor->at > end)
            return TM_EDAMAGED;
        if (pool && keep(pools, pool, key, at) < 0)
            return tm__failure();
    }
    return TM_OK;
}

int tm__jfr_pools_add(tm__jfr_pools *pools, tm__jfr_cursor *cursor, const uint8_t *end)
{
    uint64_t count;

    tm__jfr_skip_numbers(cursor, 3); /* start, duration, distance */
    tm__jfr_byte(cursor);            /* flags */
    count = tm__jfr_number(cursor);
    /* Where the bytes end all numbers are 0, also that of a type. */
    for (; count > 0 && !cursor->is_broken && cursor->at <= end; count--) {
        int rc = add_pool(pools, cursor, end);

        if (rc < 0)
            return rc;
    }
    return cursor->is_broken || cursor->at > end ? TM_EDAMAGED : TM_OK;
}

tm__jfr_constant *tm__jfr_constant_find(tm__jfr_pools *pools, int pool, uint64_t key)
{
    uint32_t index = tm__map_find(&pools->pools[pool].map, key);

    return index == TM__NONE ? NULL : &pools->pools[pool].constants[index];
}

tm__jfr_cursor tm__jfr_pools_at(const tm__jfr_pools *pools, uint64_t offset)
{
    return (tm__jfr_cursor){.at = pools->base + offset, .limit = pools->limit};
}

void tm__jfr_constant_read(const tm__jfr_pools *pools, int pool,
                           const tm__jfr_constant *constant, uint64_t *values)
{
    tm__jfr_cursor cursor = tm__jfr_pools_at(pools, constant->offset);

    for (int i = 0; i < SLOTS; i++)
        values[i] = 0;
    if (pools->pools[pool].is_compiled)
        tm__jfr_run(pools->metadata, pools->pools[pool].program, &cursor, pools->base,
                    values);
}

void tm__jfr_pools_free(tm__jfr_pools *pools)
{
    for (int i = 0; i < TM__JFR_POOL_COUNT; i++) {
        tm__jfr_pool *pool = &pools->pools[i];

        tm__map_clear(&pool->map);
        tm__free(pools->memory, pool->constants,
                 pool->capacity * sizeof(*pool->constants));
    }
}
