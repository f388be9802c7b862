/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow's PyCapsule protocol: each function gives what a table shares as a capsule
 * of the name that the protocol asks for. Python calls them with its lock held, so
 * that they can make Python objects; CFFI's own calls release it.
 *
 * A consumer that takes a struct out of its capsule clears `release` in it; the
 * destructor releases what nobody took. Destructors are C, so that a capsule may
 * die in any thread and while the interpreter ends.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

#include <threadmodel/arrow.h>
#include <threadmodel/error.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED PyObject *threadmodel_schema_capsule(const tm_table *table, int column);
EXPORTED PyObject *threadmodel_array_capsule(const tm_table *table, int column);
EXPORTED PyObject *threadmodel_stream_capsule(const tm_table *table);

static const char schema_name[] = "arrow_schema";
static const char array_name[] = "arrow_array";
static const char stream_name[] = "arrow_array_stream";

static void free_schema(PyObject *capsule)
{
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, schema_name);

    if (schema->release)
        schema->release(schema);
    free(schema);
}

static void free_array(PyObject *capsule)
{
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, array_name);

    if (array->release)
        array->release(array);
    free(array);
}

static void free_stream(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, stream_name);

    if (stream->release)
        stream->release(stream);
    free(stream);
}

/* Hand a filled struct to a capsule that frees it. */
static PyObject *wrap(void *filled, const char *name, PyCapsule_Destructor destructor)
{
    PyObject *capsule = PyCapsule_New(filled, name, destructor);

    if (!capsule)
        free(filled);
    return capsule;
}

/* Keep one column of a table's struct, as a consumer may: it is moved out, and the rest
 * released. All are kept where the column is negative. */
static void keep_schema(struct ArrowSchema *schema, int column)
{
    struct ArrowSchema whole = *schema;

    if (column < 0)
        return;
    *schema = *whole.children[column];
    whole.children[column]->release = NULL;
    whole.release(&whole);
}

static void keep_array(struct ArrowArray *array, int column)
{
    struct ArrowArray whole = *array;

    if (column < 0)
        return;
    *array = *whole.children[column];
    whole.children[column]->release = NULL;
    whole.release(&whole);
}

PyObject *threadmodel_schema_capsule(const tm_table *table, int column)
{
    struct ArrowSchema *schema = calloc(1, sizeof(*schema));
    PyObject *capsule;

    if (!schema)
        return PyErr_NoMemory();
    /* In the capsule first: from there on its destructor cleans up. */
    capsule = wrap(schema, schema_name, free_schema);
    if (capsule && tm_table_export_arrow(schema, NULL, table) < 0) {
        Py_DECREF(capsule);
        return PyErr_NoMemory();
    }
    if (capsule)
        keep_schema(schema, column);
    return capsule;
}

PyObject *threadmodel_array_capsule(const tm_table *table, int column)
{
    struct ArrowArray *array = calloc(1, sizeof(*array));
    PyObject *capsule;

    if (!array)
        return PyErr_NoMemory();
    capsule = wrap(array, array_name, free_array);
    if (capsule && tm_table_export_arrow(NULL, array, table) < 0) {
        Py_DECREF(capsule);
        return PyErr_NoMemory();
    }
    if (capsule)
        keep_array(array, column);
    return capsule;
}

PyObject *threadmodel_stream_capsule(const tm_table *table)
{
    struct ArrowArrayStream *stream = calloc(1, sizeof(*stream));
    PyObject *capsule;

    if (!stream)
        return PyErr_NoMemory();
    capsule = wrap(stream, stream_name, free_stream);
    if (capsule && tm_table_export_arrow_stream(stream, table) < 0) {
        Py_DECREF(capsule);
        return PyErr_NoMemory();
    }
    return capsule;
}
