/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's description of itself: its JVM, what it records, and what it does not.
 */
#ifndef TM_FORMATS_JFR_SETTINGS_H
#define TM_FORMATS_JFR_SETTINGS_H

#include <threadmodel/run.h>

#include "formats/jfr/jfr_entities.h"

/** Types of events that mean something here. */
enum tm__jfr_what {
    TM__JFR_NOTHING,
    TM__JFR_ENTER,
    TM__JFR_WAIT,
    TM__JFR_NOTIFY,
    TM__JFR_PARK,
    TM__JFR_SLEEP,
    TM__JFR_START,
    TM__JFR_END,
    TM__JFR_VIRTUAL_START,
    TM__JFR_VIRTUAL_END,
    TM__JFR_SAMPLE,
    TM__JFR_WALL_SAMPLE, ///< of async-profiler
    TM__JFR_CPU_TIME,
    TM__JFR_INFLATE,
    TM__JFR_PINNED,
    TM__JFR_SUBMIT_FAILED,
    TM__JFR_PAUSE,
    TM__JFR_COLLECTION,
    TM__JFR_DUMP,
    TM__JFR_SHUTDOWN,
    TM__JFR_UNIT,      ///< the program states it, by our class
    TM__JFR_UNIT_MOVE, ///< the same: it leaves a thread, or is resumed
    TM__JFR_SOCKET_READ,
    TM__JFR_SOCKET_WRITE,
    TM__JFR_FILE_READ,
    TM__JFR_FILE_WRITE,
    TM__JFR_FILE_FORCE,
    TM__JFR_SETTING, ///< from here on about the recording
    TM__JFR_JVM,
    TM__JFR_LOSS,
    TM__JFR_WHAT_COUNT
};

/** The settings of one type of event, over all chunks. */
typedef struct tm__jfr_setting {
    uint8_t was_on;
    uint8_t was_off;
    int64_t threshold_ns; ///< the highest
} tm__jfr_setting;

/** The identity of a JVM. */
typedef struct tm__jfr_jvm {
    uint64_t pid;
    uint64_t start; ///< since 1970, in what the recording counts it
} tm__jfr_jvm;

typedef struct tm__jfr_settings {
    tm__memory *memory;
    tm__strings strings;
    tm__jfr_setting of[TM__JFR_WHAT_COUNT];
    uint64_t counts[TM__JFR_WHAT_COUNT]; ///< events in the recording
    uint64_t still_samples; ///< samples of threads that did not run, which are not read
    int is_known;           ///< some setting was found
    uint64_t lost_bytes;
    tm__jfr_jvm *jvms; ///< all that are in the file
    uint32_t jvm_count;
    uint32_t jvm_capacity;
    uint32_t jvm;           ///< jvms[] whose chunk it is
    uint32_t vm;            ///< strings
    uint32_t command;       ///< strings
    struct tm__jfr_passed { ///< kinds of events that are not read
        uint32_t name;      ///< strings
        uint64_t count;
    } * passed;
    uint32_t passed_count;
    uint32_t passed_capacity;
    tm__jfr_text text;
} tm__jfr_settings;

/** Whether single pauses of the collector are there, and not whole collections alone.
 */
static inline int tm__jfr_reports_pauses(const tm__jfr_settings *settings)
{
    return settings->of[TM__JFR_PAUSE].was_on || settings->counts[TM__JFR_PAUSE];
}

void tm__jfr_settings_init(tm__jfr_settings *settings, tm__memory *memory);

/** Take a setting of a type of event, "threshold" and "20 ms" for instance. */
void tm__jfr_settings_read(tm__jfr_settings *settings, int what, const char *name,
                           const char *value);

/**
 * Take what a JVM says of itself.
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_settings_jvm(tm__jfr_settings *settings, tm__jfr_jvm jvm, const char *name,
                         const char *version, const char *command);

/** Count events of a type that are not read. @return TM_OK or TM_ENOMEM */
int tm__jfr_settings_pass(tm__jfr_settings *settings, const char *name, uint64_t count);

/** Write into a run what is known: vm, command, pid, threshold and kinds. */
void tm__jfr_settings_describe(const tm__jfr_settings *settings, tm_run *run);

/** Note what the recording cannot show. @return TM_OK or TM_ENOMEM */
int tm__jfr_settings_caveats(tm__jfr_settings *settings, tm__notes *notes);

void tm__jfr_settings_free(tm__jfr_settings *settings);

#endif
