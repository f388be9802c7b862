/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of one text dump, built up line by line by the grammar of its writer:
 *
 *     tm__jstack_dump dump;
 *     tm__jstack_init(&dump, memory);
 *     tm__jstack_parse(&dump, text, length);    // as often as there are dumps
 *     ... dump.threads[i], with dump.frames, dump.locks ...
 *     tm__jstack_free(&dump);
 *
 * Texts are interned: they stay where they are until tm__jstack_free().
 */
#ifndef TM_FORMATS_JSTACK_PARSE_H
#define TM_FORMATS_JSTACK_PARSE_H

#include "formats/jstack/parse_state.h"

void tm__jstack_init(tm__jstack_dump *dump, tm__memory *memory);

/** A dump begins: what was parsed before is replaced. */
void tm__jstack_start(tm__jstack_dump *dump, const struct tm__grammar *grammar);

/** @return the text of dump->frames[index] */
tm__slice tm__jstack_frame(const tm__jstack_dump *dump, uint32_t index);

/** @return 1: that a thread has no more monitors than it shows */
int tm__jstack_reports_monitors(const tm__jstack_dump *dump);

/** @return 1: its threads have HotSpot's numbers for them */
int tm__jstack_has_tids(const tm__jstack_dump *dump);

void tm__jstack_free(tm__jstack_dump *dump);

/** Keep a text: `*text` then stands in the dump's own memory. */
int tm__jstack_keep(tm__jstack_dump *dump, tm__slice *text);

/** Keep the name of a class, with dots where a tool writes slashes. */
int tm__jstack_keep_class(tm__jstack_dump *dump, tm__slice *name);

/** Add a thread; its frames and locks come next. */
int tm__jstack_add_thread(tm__jstack_dump *dump, const tm__jstack_thread *thread);

/** @return 1: the line is a frame of Java, "shop.Bank.move(Bank.java:20)" */
int tm__jstack_is_frame(tm__slice line);

/** Add the next frame outward to a thread, the last one. */
int tm__jstack_add_frame(tm__jstack_dump *dump, tm__slice text);

/** The same as "place.function(file:line)", of languages that write it otherwise. */
int tm__jstack_add_call(tm__jstack_dump *dump, tm__slice place, tm__slice function,
                        tm__slice file, uint64_t line);

/** Add a lock to the last thread; its depth is set. */
int tm__jstack_add_lock(tm__jstack_dump *dump, const tm__jstack_lock *lock);

int tm__jstack_add_edge(tm__jstack_dump *dump, const tm__jstack_edge *edge);

/** Set the address that stands for that of an object which only class and hash
 * identify. */
void tm__jstack_lock_by_hash(tm__jstack_lock *lock, uint64_t hash);

/** FNV-1a, not 0. */
uint64_t tm__jstack_hash(tm__slice text);

/** @return the last thread; NULL: there is none */
tm__jstack_thread *tm__jstack_last(tm__jstack_dump *dump);

#endif
