/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of findings. Every title, sentence and advice stands in texts.def, which is
 * meant to be read from top to bottom; detectors decide which texts apply and supply
 * the facts that those name.
 */
#ifndef TM_ANALYSIS_FINDINGS_FINDING_TEXT_H
#define TM_ANALYSIS_FINDINGS_FINDING_TEXT_H

#include "analysis/findings/finding.h"

/** The texts of texts.def. */
typedef enum tm__card_text {
#define TEXT(name, part, when, text) TM__TEXT_##name,
#include "analysis/findings/texts.def"
    TM__TEXTS
} tm__card_text;

/**
 * The values that texts may name, each by the name of its member. A count of 0,
 * TM__NONE and NULL stand for no value: the bracketed part of a text that names one is
 * left out.
 */
typedef struct tm__facts {
    uint64_t threads; ///< "8 threads"
    uint64_t count;   ///< "8", or "8 times" by the name `times`
    uint64_t of;      ///< "8"
    uint64_t others;  ///< "8"
    uint64_t most;    ///< "8"
    int64_t total_ns; ///< "12.3 ms", by the name `total`, as all times are
    int64_t mean_ns;
    int64_t median_ns;
    int64_t longest_ns;
    int64_t span_ns;
    int64_t low_ns;
    int64_t high_ns;
    int share; ///< percent
    int other_share;
    double average; ///< with one decimal
    double other_average;
    double rate_low; ///< a second, without decimals if there are many
    double rate_high;
    uint32_t thread; ///< threads[]
    uint32_t other_thread;
    uint32_t place; ///< places: "Account.transfer:42", without the line in a title
    uint32_t other_place;
    uint32_t frame; ///< frames[], written as a place
    uint32_t other_frame;
    uint32_t method; ///< strings
    uint32_t other_method;
    uint32_t class_name; ///< strings, by the name `class`
    const char *name;
    const char *other_name;
    const char *state;
    const char *period; ///< "run", or "part" of it
} tm__facts;

/** Facts without any value yet. */
#define TM__NO_FACTS                                                                   \
    {                                                                                  \
        .thread = TM__NONE, .other_thread = TM__NONE, .place = TM__NONE,               \
        .other_place = TM__NONE, .frame = TM__NONE, .other_frame = TM__NONE,           \
        .method = TM__NONE, .other_method = TM__NONE, .class_name = TM__NONE           \
    }

/** Add a text to the part of the card that it belongs to. */
void tm__finding_add(tm__finding *finding, const tm__findings *findings,
                     tm__card_text text, const tm__facts *facts);

/** Add one that names nothing. */
void tm__finding_add_plain(tm__finding *finding, const tm__findings *findings,
                           tm__card_text text);

/** A text as it stands in texts.def: a word that another one names. */
const char *tm__card_text_of(tm__card_text text);

/** The part that all texts go to from now on. */
void tm__part(tm__finding *finding, enum tm__part part);

#endif
