/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks, of some ten thousand events or of twenty; see block.h. */
#include "trace/block.h"

#include "base/error.h"
#include "trace/definition_decoding.h"
#include "trace/unpack.h"

enum {
    /* Limits of the blocks of a trace: so much, and so much for each byte. */
    FREE_COST = 64 << 20,
    COST_PER_BYTE = 64,
    /* Bytes of a model for what an id names, for a definition without its text, for a
     * line of a method, for a frame and its method. An event takes up to 155, but a
     * thread that notifies in a loop is recorded with two events a byte: at what they
     * take, real recordings would not be read. */
    ID_COST = 256,
    DEFINITION_COST = 512,
    LINE_COST = 24,
    FRAME_COST = 128,
    EVENT_COST = 16
};

void tm__block_init(tm__block *block, tm__memory *memory)
{
    *block = (tm__block){.memory = memory};
    block->unpacker.memory = memory;
    block->columns.memory = memory;
    block->columns.scratch.memory = memory;
    block->room.memory = memory;
    block->raw.memory = memory;
}

static int get_sections(tm__block *block, tm__cursor sections[TM__SECTION_END])
{
    tm__cursor raw = {block->raw.data, block->raw.data + block->raw.length, 0};
    uint32_t seen = 0;

    while (raw.at < raw.end) {
        uint64_t tag = tm__get_varint(&raw);
        tm__cursor section = tm__get_bytes(&raw, tm__get_varint(&raw));

        if (raw.bad || tag == 0 || (tag < TM__SECTION_END && seen >> tag & 1))
            return tm__fail(TM_EDAMAGED, "invalid section");
        if (tag < TM__SECTION_END) {
            sections[tag] = section;
            seen |= UINT32_C(1) << tag;
        } else
            block->passed_over++;
    }
    return TM_OK;
}

/* The head of the next definition. @return its body, which may be bad */
static tm__cursor get_definition(tm__cursor *from, uint32_t *position, uint64_t *kind,
                                 uint32_t last)
{
    *position += (uint32_t)tm__get_limited(from, last - *position);
    *kind = tm__get_varint(from);
    return tm__get_bytes(from, tm__get_varint(from));
}

/* Read every definition once without a sink: what is found right here can later
 * only fail in the sink. */
static int check_definitions(tm__block *block)
{
    tm__cursor from = block->definitions;
    uint32_t position = 0;

    while (from.at < from.end) {
        uint64_t kind;
        tm__cursor body = get_definition(&from, &position, &kind, block->event_count);
        int rc;

        if (from.bad)
            return tm__fail(TM_EDAMAGED, "invalid definition");
        rc = tm__definition_emit(&block->room, kind, body, NULL, &block->run);
        if (rc < 0)
            return rc;
        block->passed_over += rc == TM_MORE;
        block->definition_count++;
    }
    return TM_OK;
}

static int unpack(tm__block *block, const tm__block_header *header,
                  const uint8_t *packed)
{
    tm__cursor sections[TM__SECTION_END] = {{0}};
    int rc = tm__unpack(&block->unpacker, &block->raw, packed, header->packed_bytes,
                        header->raw_bytes);

    if (rc == TM_OK)
        rc = get_sections(block, sections);
    if (rc == TM_OK)
        rc = tm__reserve(block->memory, &block->events, &block->event_capacity,
                         header->events, sizeof(*block->events));
    if (rc == TM_OK)
        rc = tm__columns_get(&block->columns, block->events, header->events, sections,
                             header->first_ns, header->last_ns);
    if (rc < 0)
        return rc;
    block->event_count = header->events;
    block->definitions = sections[TM__SECTION_DEFINITIONS];
    return check_definitions(block);
}

/* Ids count in each block anew: it does not know which were seen before. */
static uint64_t model_cost(const tm__block *block)
{
    const tm__columns *columns = &block->columns;
    uint64_t ids = (uint64_t)columns->threads.count + columns->objects.count +
                   columns->stacks.count;
    return EVENT_COST * (uint64_t)block->event_count + ID_COST * ids +
           DEFINITION_COST * (uint64_t)block->definition_count +
           LINE_COST * block->room.line_count + FRAME_COST * block->room.frame_count;
}

/* A few hundred bytes can unpack to 16 MiB, and those take many times as much in a
 * model: time and memory stay in proportion to the trace. */
static int spend(tm__block *block, uint64_t cost_bytes, uint64_t end)
{
    if (block->cost_bytes + cost_bytes > FREE_COST + COST_PER_BYTE * end)
        return tm__fail(TM_ELIMIT,
                        "%llu bytes of a trace that unpack to more than %llu",
                        (unsigned long long)end,
                        (unsigned long long)(FREE_COST + COST_PER_BYTE * end));
    block->cost_bytes += cost_bytes;
    return TM_OK;
}

int tm__block_open(tm__block *block, const tm__block_header *header,
                   const uint8_t *packed, uint64_t end)
{
    int rc = spend(block, header->raw_bytes, end);

    block->next_event = 0;
    block->position = 0;
    block->passed_over = 0;
    block->definition_count = 0;
    block->room.line_count = block->room.frame_count = 0;
    block->run.size = 0;
    if (rc == TM_OK)
        rc = unpack(block, header, packed);
    if (rc == TM_OK)
        rc = spend(block, model_cost(block), end);
    if (rc < 0) {
        block->event_count = 0;
        block->definitions = (tm__cursor){0};
        block->passed_over = 0;
    }
    return rc;
}

/* Emit events up to a position, or to where `most` ends. */
static int emit_events(tm__block *block, const tm_sink *sink, uint32_t position,
                       uint32_t *most)
{
    uint32_t first = block->next_event;
    uint32_t count = position - first;

    if (count > *most)
        count = *most;
    if (count == 0)
        return TM_OK;
    *most -= count;
    block->next_event += count;
    return sink->events(sink->payload, block->events + first, count);
}

int tm__block_emit(tm__block *block, const tm_sink *sink, uint32_t most)
{
    int rc = TM_OK;

    while (rc >= 0 && block->definitions.at < block->definitions.end) {
        tm__cursor from = block->definitions;
        uint32_t position = block->position;
        uint64_t kind;
        tm__cursor body = get_definition(&from, &position, &kind, block->event_count);

        rc = emit_events(block, sink, position, &most);
        if (rc < 0)
            return rc;
        if (block->next_event < position)
            return TM_MORE;
        /* It counts as emitted whatever the sink says, as events do. */
        block->definitions = from;
        block->position = position;
        rc = tm__definition_emit(&block->room, kind, body, sink, NULL);
    }
    if (rc >= 0)
        rc = emit_events(block, sink, block->event_count, &most);
    if (rc < 0)
        return rc;
    return block->next_event < block->event_count ? TM_MORE : TM_OK;
}

void tm__block_free(tm__block *block)
{
    tm__memory *memory = block->memory;

    tm__free(memory, block->events, block->event_capacity * sizeof(*block->events));
    tm__bytes_free(&block->raw);
    tm__columns_free(&block->columns);
    tm__definition_room_free(&block->room);
    tm__unpacker_free(&block->unpacker);
}
