// SPDX-License-Identifier: Apache-2.0

// Package threadmodel feeds a model with events and asks for its timeline. The other
// questions are added as Timeline is.
package threadmodel

// #cgo pkg-config: threadmodel
// #include <stdlib.h>
// #include <threadmodel/threadmodel.h>
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

// Kinds of events, of threadmodel/event.h.
const (
	ThreadStart      = uint16(C.TM_EVENT_THREAD_START)
	ThreadEnd        = uint16(C.TM_EVENT_THREAD_END)
	ContendedEnter   = uint16(C.TM_EVENT_CONTENDED_ENTER)
	ContendedEntered = uint16(C.TM_EVENT_CONTENDED_ENTERED)
)

// Event is what a thread did. Its fields are those of tm_event, in that order.
type Event struct {
	TimeNs int64
	Thread uint64
	Object uint64
	Peer   uint64
	Value  int64
	Stack  uint32
	Kind   uint16
	Flags  uint16
}

// Neither constant is below 0 while an Event is as long as a tm_event.
const (
	_ = uint(unsafe.Sizeof(Event{}) - C.sizeof_tm_event)
	_ = uint(C.sizeof_tm_event - unsafe.Sizeof(Event{}))
)

// Model is what happened so far. One goroutine at a time uses it.
type Model struct{ it *C.tm_model }

// check keeps a call and the text of its failure on one thread, which owns the text.
func check(call func() C.int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if call() < 0 {
		return errors.New(C.GoString(C.tm_error_text()))
	}
	return nil
}

// NewModel makes a model, which the caller closes.
func NewModel() (*Model, error) {
	model := &Model{}
	return model, check(func() C.int { return C.tm_model_new(&model.it, nil) })
}

// Ingest adds events, by rising time as far as that is possible.
func (model *Model) Ingest(events []Event) error {
	if len(events) == 0 {
		return nil
	}
	first := (*C.tm_event)(unsafe.Pointer(&events[0]))
	return check(func() C.int {
		return C.tm_model_ingest(model.it, first, C.size_t(len(events)))
	})
}

// Timeline says what each thread did when. The caller closes the table.
func (model *Model) Timeline() (*Table, error) {
	table := &Table{}
	return table, check(func() C.int {
		return C.tm_timeline_list(&table.it, model.it, nil)
	})
}

// Close frees the model; its tables stay.
func (model *Model) Close() {
	C.tm_model_free(model.it)
	model.it = nil
}

// Table is an answer: immutable, and independent of its model.
type Table struct{ it *C.tm_table }

// Rows is how many there are.
func (table *Table) Rows() int { return int(C.tm_table_row_count(table.it)) }

// Column is the number of a column, for Int64 and String; below 0: there is none.
func (table *Table) Column(name string) int {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return int(C.tm_table_column(table.it, text))
}

// Int64 is 0 where the value is null, of another type, or not there.
func (table *Table) Int64(column, row int) int64 {
	return int64(C.tm_table_cell_int64(table.it, C.int(column), C.size_t(row)))
}

// Uint64 is the same of a column of ids.
func (table *Table) Uint64(column, row int) uint64 {
	return uint64(C.tm_table_cell_uint64(table.it, C.int(column), C.size_t(row)))
}

// String is "" where the value is null, of another type, or not there.
func (table *Table) String(column, row int) string {
	return C.GoString(C.tm_table_cell_string(table.it, C.int(column), C.size_t(row)))
}

// Close frees the table.
func (table *Table) Close() {
	C.tm_table_free(table.it)
	table.it = nil
}
