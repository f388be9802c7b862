/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of a program that lead to itself. */
#include "support/paper.h"

#include <stdio.h>

#include <threadmodel/threadmodel.h>

#include "model/entities/own_ports.h"
#include "model/state/model.h"

static tm_model *named(const char *const *names, size_t count)
{
    tm_model *model;
    const tm_sink *sink;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    sink = tm_model_sink(model);
    for (size_t i = 0; i < count; i++) {
        tm_object object = TM_OBJECT_INIT;

        object.id = i + 1;
        object.name = names[i];
        object.kind = strncmp(names[i], "connections", 11) == 0 ? TM_OBJECT_KIND_ACCEPT
                                                                : TM_OBJECT_KIND_SOCKET;
        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
    return model;
}

static void a_connection_is_own_at_this_machine_alone(void **state)
{
    static const struct {
        const char *name;
        int is_own;
    } cases[] = {
        {"connections to :8080", 0},
        {"clients of :8080", 0},
        {"connections to unix:/tmp/a", 0},
        {"127.0.0.1:8080", 1},
        {"127.1.2.3:8080", 1},
        {"[::1]:8080", 1},
        {"[::ffff:127.0.0.1]:8080", 1},
        {"unix:/tmp/a", 1},
        {"unix:/tmp/b", 0},
        {"127.0.0.1:80", 0},
        {"127.0.0.1:18080", 0},
        {"10.0.0.7:8080", 0},
        {"a socket", 0},
    };
    enum { COUNT = sizeof(cases) / sizeof(*cases) };
    const char *names[COUNT];
    tm__own_ports own;
    tm_model *model;

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        names[i] = cases[i].name;
    model = named(names, COUNT);
    tm__own_ports_find(&own, &model->entities);
    assert_int_equal(own.count, 2);
    assert_int_equal(own.left_out, 0);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(tm__is_own_connection(&own, &model->entities, i),
                         cases[i].is_own);
    tm_model_free(model);
}

static void ports_that_are_left_out_are_counted(void **state)
{
    enum { COUNT = TM__OWN_PORTS_MAX + 3 };
    char texts[COUNT][32];
    const char *names[COUNT];
    tm__own_ports own;
    tm_model *model;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof(texts[i]), "clients of :%d", 8000 + i);
        names[i] = texts[i];
    }
    model = named(names, COUNT);
    tm__own_ports_find(&own, &model->entities);
    assert_int_equal(own.count, TM__OWN_PORTS_MAX);
    assert_int_equal(own.left_out, 3);
    tm_model_free(model);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_is_own_at_this_machine_alone),
        cmocka_unit_test(ports_that_are_left_out_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
