/* SPDX-License-Identifier: Apache-2.0 */
/* Types of events as short programs that read them. */
#ifndef TM_FORMATS_JFR_PROGRAM_H
#define TM_FORMATS_JFR_PROGRAM_H

#include "formats/jfr/jfr_metadata.h"

/**
 * Make a program that reads an event or a constant of a type.
 * @param[out] program
 * @param type   index of it
 * @param names  of fields that are wanted: field n goes to slot n; NULLs are passed
 *               over. A field of another kind than its name stands for counts as none
 * @param texts  bit n: slot n is text, or an array, and gets its place in memory
 * @return TM_OK; TM_EDAMAGED: the type contains itself or something that is not a
 *         type; TM_ENOMEM
 */
int tm__jfr_compile(tm__jfr_metadata *metadata, tm__jfr_program *program, uint32_t type,
                    const char *const *names, size_t name_count, uint64_t texts);

/** The program that steps over a value of a type with fields. @return as above */
int tm__jfr_type_skipper(tm__jfr_metadata *metadata, uint32_t type,
                         tm__jfr_program *program);

/**
 * Read one value.
 * @param base    what places of texts and arrays count from
 * @param values  slots; those that the type does not have are left alone
 */
void tm__jfr_run(const tm__jfr_metadata *metadata, tm__jfr_program program,
                 tm__jfr_cursor *cursor, const uint8_t *base, uint64_t *values);

/** @return enum tm__jfr_unit of a slot; -1: the type has no such field */
int tm__jfr_unit_of(const tm__jfr_metadata *metadata, tm__jfr_program program,
                    unsigned slot);

/** @return the type of an array's elements in a slot; TM__NONE */
uint32_t tm__jfr_element_of(const tm__jfr_metadata *metadata, tm__jfr_program program,
                            unsigned slot);

#endif
