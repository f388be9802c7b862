/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings come at the start of each chunk and when they change; here the widest of
 * them all is kept, since what is said of a recording must hold for all of it.
 */
#include "formats/jfr/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <threadmodel/definition.h>
#include <threadmodel/event.h>

#include "base/error.h"
#include "base/grouped.h"

/* More in one file are taken for the last: ids have room for so many. */
enum { MAX_JVMS = 1024 };

/* Kinds of events that are not read and are counted; the JDK has two hundred. */
enum { MAX_PASSED = 1024 };

#define KIND(name) (UINT64_C(1) << TM_EVENT_##name)

#define IO (KIND(AWAIT) | KIND(AWAITED))

static const struct {
    const char *name;    ///< for people
    const char *absence; ///< what not recording it means; NULL: the model says it
    uint64_t kinds;      ///< bits as in tm_run.kinds
    int has_threshold;
} types[TM__JFR_WHAT_COUNT] = {
    [TM__JFR_ENTER] = {"contended monitor enters",
                       "no thread looks blocked on a monitor",
                       KIND(CONTENDED_ENTER) | KIND(CONTENDED_ENTERED), 1},
    [TM__JFR_WAIT] = {"waits on monitors", "a waiting thread looks as if it ran",
                      KIND(WAIT) | KIND(WAITED), 1},
    [TM__JFR_NOTIFY] = {"notifies", NULL, KIND(NOTIFY) | KIND(NOTIFY_ALL), 0},
    [TM__JFR_PARK] = {"parks", NULL, KIND(PARK) | KIND(UNPARKED), 1},
    [TM__JFR_SLEEP] = {"sleeps", NULL, KIND(SLEEP) | KIND(SLEPT), 1},
    [TM__JFR_START] = {"starts of threads",
                       "who started a thread and when is not known", KIND(THREAD_START),
                       0},
    [TM__JFR_END] = {"ends of threads", "when a thread ended is not known",
                     KIND(THREAD_END), 0},
    [TM__JFR_SAMPLE] = {"samples of running threads", NULL, KIND(CPU_SAMPLE), 0},
    [TM__JFR_WALL_SAMPLE] = {"samples by the wall clock", NULL, KIND(CPU_SAMPLE), 0},
    [TM__JFR_CPU_TIME] = {"samples of processor time", NULL, KIND(CPU_SAMPLE), 0},
    [TM__JFR_INFLATE] = {"inflated monitors", NULL, KIND(INFLATED), 1},
    [TM__JFR_PINNED] = {"pinned virtual threads", NULL, KIND(PINNED), 1},
    [TM__JFR_SUBMIT_FAILED] = {"refused virtual threads", NULL, KIND(SUBMIT_FAILED), 0},
    [TM__JFR_PAUSE] = {"pauses of the collector", NULL, KIND(GC_PAUSE), 1},
    [TM__JFR_COLLECTION] = {"garbage collections", NULL, KIND(GC_PAUSE), 1},
    [TM__JFR_DUMP] = {"thread dumps", NULL, 0, 0},
    [TM__JFR_SHUTDOWN] = {"the JVM's shutdown", NULL, KIND(SHUTDOWN), 0},
    [TM__JFR_UNIT] = {"units of work", NULL, KIND(UNIT_BEGIN) | KIND(UNIT_END), 0},
    [TM__JFR_UNIT_MOVE] = {"moves of units of work", NULL,
                           KIND(UNIT_LEAVE) | KIND(UNIT_RESUME), 0},
    [TM__JFR_SOCKET_READ] = {"reads of sockets", NULL, IO, 1},
    [TM__JFR_SOCKET_WRITE] = {"writes to sockets", NULL, IO, 1},
    [TM__JFR_FILE_READ] = {"reads of files", NULL, IO, 1},
    [TM__JFR_FILE_WRITE] = {"writes to files", NULL, IO, 1},
    [TM__JFR_FILE_FORCE] = {"forces of files", NULL, IO, 1},
};

void tm__jfr_settings_init(tm__jfr_settings *settings, tm__memory *memory)
{
    *settings = (tm__jfr_settings){
        .memory = memory, .vm = TM__NONE, .command = TM__NONE, .text.memory = memory};
    tm__strings_init(&settings->strings, memory);
}

/* "20 ms" and the like in ns; 0 where it is not a timespan. */
static int64_t parse_timespan(const char *text)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1},
                 {"us", 1000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"m", INT64_C(60000000000)},
                 {"h", INT64_C(3600000000000)},
                 {"d", INT64_C(86400000000000)}};
    char *end;
    unsigned long long number;

    if (*text < '0' || *text > '9')
        return 0;
    number = strtoull(text, &end, 10);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strcmp(end, units[i].name) == 0)
            return number > (uint64_t)(INT64_MAX / units[i].ns)
                       ? INT64_MAX
                       : (int64_t)number * units[i].ns;
    return 0;
}

void tm__jfr_settings_read(tm__jfr_settings *settings, int what, const char *name,
                           const char *value)
{
    tm__jfr_setting *it = &settings->of[what];

    if (strcmp(name, "enabled") == 0) {
        settings->is_known = 1;
        if (strcmp(value, "true") == 0)
            it->was_on = 1;
        else
            it->was_off = 1;
    } else if (strcmp(name, "threshold") == 0) {
        int64_t threshold_ns = parse_timespan(value);

        if (threshold_ns > it->threshold_ns)
            it->threshold_ns = threshold_ns;
    }
}

/* "OpenJDK 64-Bit Server VM" and the version out of "... (25.0.3+9-LTS) for ...". */
static int name_vm(tm__jfr_settings *settings, const char *name, const char *version)
{
    const char *open = strchr(version, '(');
    size_t length = open ? strcspn(open + 1, ")") : 0;
    tm__jfr_text *text = &settings->text;
    int rc = tm__jfr_text_start(text);

    if (rc == TM_OK)
        rc = tm__jfr_text_add(text, name, strlen(name));
    if (rc == TM_OK && length)
        rc = tm__jfr_text_add(text, " ", 1);
    if (rc == TM_OK && length)
        rc = tm__jfr_text_add(text, open + 1, length);
    if (rc == TM_OK && text->length)
        rc = tm__strings_intern(&settings->strings, &settings->vm, text->bytes);
    return rc;
}

int tm__jfr_settings_jvm(tm__jfr_settings *settings, tm__jfr_jvm jvm, const char *name,
                         const char *version, const char *command)
{
    int rc;

    for (uint32_t i = 0; i < settings->jvm_count; i++)
        if (settings->jvms[i].pid == jvm.pid && settings->jvms[i].start == jvm.start) {
            settings->jvm = i;
            return TM_OK;
        }
    if (settings->jvm_count == MAX_JVMS)
        return TM_OK;
    rc = name_vm(settings, name, version);
    if (rc == TM_OK && *command)
        rc = tm__strings_intern(&settings->strings, &settings->command, command);
    if (rc == TM_OK)
        rc = tm__reserve(settings->memory, &settings->jvms, &settings->jvm_capacity,
                         (size_t)settings->jvm_count + 1, sizeof(jvm));
    if (rc < 0)
        return rc;
    settings->jvm = settings->jvm_count++;
    settings->jvms[settings->jvm] = jvm;
    return TM_OK;
}

int tm__jfr_settings_pass(tm__jfr_settings *settings, const char *name, uint64_t count)
{
    uint32_t index;

    if (tm__strings_intern(&settings->strings, &index, name) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < settings->passed_count; i++)
        if (settings->passed[i].name == index) {
            settings->passed[i].count += count;
            return TM_OK;
        }
    if (settings->passed_count == MAX_PASSED)
        return TM_OK;
    if (tm__reserve(settings->memory, &settings->passed, &settings->passed_capacity,
                    (size_t)settings->passed_count + 1, sizeof(*settings->passed)) < 0)
        return tm__failure();
    settings->passed[settings->passed_count].name = index;
    settings->passed[settings->passed_count++].count = count;
    return TM_OK;
}

/* Note the events of a recording that are not read, the most frequent first. */
static int note_passed(tm__jfr_settings *settings, tm__notes *notes)
{
    char text[400] = "";
    size_t length = 0;

    for (uint32_t shown = 0; shown < 6; shown++) {
        struct tm__jfr_passed *most = NULL;

        for (uint32_t i = 0; i < settings->passed_count; i++)
            if (settings->passed[i].count &&
                (!most || settings->passed[i].count > most->count))
                most = &settings->passed[i];
        if (!most || length + 80 > sizeof(text))
            break;
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %.50s",
                             shown ? ", " : "", tm__group_digits(most->count).text,
                             tm__strings_get(&settings->strings, most->name));
        most->count = 0;
    }
    return tm__notes_caveat(
        notes,
        "The recording holds no event of locks, waits, parks, sleeps "
        "or threads. Of these nothing is read: %s.",
        length ? text : "it has no event at all");
}

static int is_empty(const tm__jfr_settings *settings)
{
    for (int i = TM__JFR_NOTHING + 1; i < TM__JFR_SETTING; i++)
        if (settings->counts[i])
            return 0;
    return 1;
}

void tm__jfr_settings_describe(const tm__jfr_settings *settings, tm_run *run)
{
    const tm__jfr_setting *of = settings->of;
    const tm__jfr_setting *enter = &of[TM__JFR_ENTER], *wait = &of[TM__JFR_WAIT];

    /* If there are several JVMs, none stands for all. */
    if (settings->jvm_count == 1) {
        run->vm = tm__strings_get(&settings->strings, settings->vm);
        run->command = tm__strings_get(&settings->strings, settings->command);
        run->pid = settings->jvms[0].pid;
    }
    run->threshold_ns = enter->threshold_ns > wait->threshold_ns ? enter->threshold_ns
                                                                 : wait->threshold_ns;
    for (int i = 0; i < TM__JFR_WHAT_COUNT; i++)
        if (of[i].was_on)
            run->kinds |= types[i].kinds;
    if (of[TM__JFR_SOCKET_READ].was_on || of[TM__JFR_SOCKET_WRITE].was_on)
        run->object_kinds |= UINT64_C(1) << TM_OBJECT_KIND_SOCKET;
    if (of[TM__JFR_FILE_READ].was_on || of[TM__JFR_FILE_WRITE].was_on)
        run->object_kinds |= UINT64_C(1) << TM_OBJECT_KIND_FILE;
}

static int note_thresholds(const tm__jfr_settings *settings, tm__notes *notes)
{
    const tm__jfr_setting *of = settings->of;
    int rc = TM_OK;

    for (int i = 0; rc == TM_OK && i < TM__JFR_WHAT_COUNT; i++) {
        int64_t threshold_ns = of[i].threshold_ns;

        if (!types[i].has_threshold || !threshold_ns || !of[i].was_on)
            continue;
        /* The model says it of blocks and waits where both have the same. */
        if ((i == TM__JFR_ENTER || i == TM__JFR_WAIT) &&
            of[TM__JFR_ENTER].threshold_ns == of[TM__JFR_WAIT].threshold_ns)
            continue;
        rc = tm__notes_caveat(
            notes,
            "JFR's threshold for %s: under %" PRId64 ".%03d ms they were "
            "not recorded.",
            types[i].name, threshold_ns / 1000000, (int)(threshold_ns / 1000 % 1000));
    }
    return rc;
}

static int note_absence(const tm__jfr_settings *settings, tm__notes *notes)
{
    int rc = TM_OK;

    if (!settings->is_known)
        return tm__notes_caveat(notes,
                                "The recording does not hold its own settings: its "
                                "thresholds, and what was not recorded, are not "
                                "known.");
    for (int i = 0; rc == TM_OK && i < TM__JFR_SETTING; i++) {
        const tm__jfr_setting *it = &settings->of[i];

        if (!it->was_on && types[i].absence)
            rc = tm__notes_caveat(notes, "JFR did not record %s: %s.", types[i].name,
                                  types[i].absence);
        else if (it->was_on && it->was_off && types[i].kinds)
            rc = tm__notes_caveat(notes, "JFR recorded %s for only a part of the time.",
                                  types[i].name);
    }
    return rc;
}

/* "OpenJDK 64-Bit Server VM 11.0.19+7", or " 25.372-b07" of JDK 8. */
static int has_wrong_files(const tm__jfr_settings *settings)
{
    const char *vm = tm__strings_get(&settings->strings, settings->vm);

    return vm &&
           (settings->counts[TM__JFR_FILE_READ] ||
            settings->counts[TM__JFR_FILE_WRITE]) &&
           (strstr(vm, " VM 11.") || (strstr(vm, " VM 25.") && strstr(vm, "-b")));
}

int tm__jfr_settings_caveats(tm__jfr_settings *settings, tm__notes *notes)
{
    int rc = is_empty(settings) ? note_passed(settings, notes) : TM_OK;

    if (rc == TM_OK)
        rc = note_thresholds(settings, notes);

    if (rc == TM_OK)
        rc = note_absence(settings, notes);
    if (rc == TM_OK)
        rc = tm__notes_caveat(notes,
                              "JFR writes an event when it ends: a block, wait or "
                              "park that had not ended%s",
                              settings->counts[TM__JFR_DUMP]
                                  ? " is not in the recording, unless a thread dump in "
                                    "it shows it as part of a deadlock."
                                  : ", as in a deadlock, is not in the recording.");
    if (rc == TM_OK && settings->of[TM__JFR_NOTIFY].was_on)
        rc = tm__notes_caveat(notes, "JFR records notifies only if a thread waited.");
    if (rc == TM_OK && settings->counts[TM__JFR_PARK])
        rc = tm__notes_caveat(notes,
                              "JFR does not record who unparked a thread, and names "
                              "what it parked for by an address on the heap that "
                              "changes when objects are moved.");
    if (rc == TM_OK && settings->counts[TM__JFR_COLLECTION] &&
        !tm__jfr_reports_pauses(settings))
        rc = tm__notes_caveat(notes,
                              "JFR recorded collections and not their single pauses: "
                              "each is shown as one pause, the sum of its own, at its "
                              "end.");
    if (rc == TM_OK && has_wrong_files(settings))
        rc = tm__notes_caveat(
            notes, "JFR of JDK 8 and 11 gives each read and write of a file "
                   "the duration of its thread's first one: how long threads "
                   "waited for files is not known.");
    if (rc == TM_OK && settings->still_samples)
        rc = tm__notes_caveat(notes,
                              "The recording has %s samples of threads that did not "
                              "run, by the wall clock: they are not read, since they "
                              "do not show what a thread waited for.",
                              tm__group_digits(settings->still_samples).text);
    if (rc == TM_OK && settings->lost_bytes)
        rc = tm__notes_caveat(notes,
                              "The JVM itself lost %s bytes of events (jdk.DataLoss).",
                              tm__group_digits(settings->lost_bytes).text);
    if (rc == TM_OK && settings->jvm_count > 1)
        rc = tm__notes_caveat(notes,
                              "The file holds recordings of %" PRIu32
                              " JVMs, on one timeline by their clocks.",
                              settings->jvm_count);
    return rc;
}

void tm__jfr_settings_free(tm__jfr_settings *settings)
{
    tm__strings_clear(&settings->strings);
    tm__jfr_text_free(&settings->text);
    tm__free(settings->memory, settings->passed,
             settings->passed_capacity * sizeof(*settings->passed));
    tm__free(settings->memory, settings->jvms,
             settings->jvm_capacity * sizeof(*settings->jvms));
}
