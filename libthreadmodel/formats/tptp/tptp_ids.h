/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids of TPTP XML: texts that mean one thing until an element undefines them, and then
 * may mean another.
 */
#ifndef TM_FORMATS_TPTP_TPTP_IDS_H
#define TM_FORMATS_TPTP_TPTP_IDS_H

#include "base/map.h"
#include "base/strings.h"

/** The present meaning of an id's text. */
typedef struct tm__tptp_entity {
    uint64_t id; ///< as the sink knows it
    uint64_t
        other; ///< of an object: its thread's id; of a thread: its object's; 0: none
    uint64_t class_;     ///< of an object: its class's id; 0: unknown
    uint8_t is_reported; ///< of an object: the sink has its definition
    uint8_t is_started;  ///< a thread, or that of an object
    uint8_t is_sleeping; ///< of a thread
    uint8_t is_over;     ///< it was undefined
} tm__tptp_entity;

/** One kind of ids. */
typedef struct tm__tptp_ids {
    tm__memory *memory;
    tm__strings texts; ///< of ids that are not numbers
    tm__map map;       ///< key of a text: entities[]
    tm__tptp_entity *entities;
    uint32_t count, capacity;
    uint64_t minted; ///< ids without a text
    uint64_t reused; ///< texts that came to mean another thing
} tm__tptp_ids;

void tm__tptp_ids_init(tm__tptp_ids *ids, tm__memory *memory);

/**
 * The meaning of a text; a new entity where it has no meaning yet or no more.
 *
 * @param is_transient  transient ids are numbers of their own
 * @param[out] entity   lent until the next call
 * @return TM_OK or TM_ENOMEM
 */
int tm__tptp_ids_find(tm__tptp_ids *ids, const char *text, int is_transient,
                      tm__tptp_entity **entity);

/** An id that no text has. */
uint64_t tm__tptp_ids_mint(tm__tptp_ids *ids);

/** Have an entity mean something new. */
void tm__tptp_ids_renew(tm__tptp_ids *ids, tm__tptp_entity *entity);

void tm__tptp_ids_free(tm__tptp_ids *ids);

#endif
