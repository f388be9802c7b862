// SPDX-License-Identifier: Apache-2.0
//! Feed a model with events and ask for its timeline. The other questions are added as
//! `timeline` is: a line in `c`, and a method.
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::marker::PhantomData;
use std::ptr;

/// Declarations of the C headers; structs are theirs, field for field.
mod c {
    use super::*;

    #[repr(C)]
    pub struct Table {
        opaque: [u8; 0],
    }
    #[repr(C)]
    pub struct Model {
        opaque: [u8; 0],
    }
    extern "C" {
        pub fn tm_error_text() -> *const c_char;
        pub fn tm_model_new(out: *mut *mut Model, options: *const c_void) -> c_int;
        pub fn tm_model_ingest(model: *mut Model, events: *const Event, count: usize) -> c_int;
        pub fn tm_model_free(model: *mut Model);
        pub fn tm_timeline_list(
            out: *mut *mut Table,
            model: *const Model,
            selection: *const c_void,
        ) -> c_int;
        pub fn tm_table_row_count(table: *const Table) -> usize;
        pub fn tm_table_column(table: *const Table, name: *const c_char) -> c_int;
        pub fn tm_table_cell_int64(table: *const Table, column: c_int, row: usize) -> i64;
        pub fn tm_table_cell_uint64(table: *const Table, column: c_int, row: usize) -> u64;
        pub fn tm_table_cell_string(
            table: *const Table,
            column: c_int,
            row: usize,
        ) -> *const c_char;
        pub fn tm_table_free(table: *mut Table);
    }

    use super::Event;
}

pub const THREAD_START: u16 = 2;
pub const THREAD_END: u16 = 3;
pub const CONTENDED_ENTER: u16 = 4;
pub const CONTENDED_ENTERED: u16 = 5;

/// `tm_event` of threadmodel/event.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    pub time_ns: i64,
    pub thread: u64,
    pub object: u64,
    pub peer: u64,
    pub value: i64,
    pub stack: u32,
    pub kind: u16,
    pub flags: u16,
}

/// A call failed: its code, below 0, and the library's sentence.
#[derive(Debug)]
pub struct Error {
    pub code: i32,
    pub text: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

fn check(code: c_int) -> Result<(), Error> {
    if code >= 0 {
        return Ok(());
    }
    // Lent until this thread's next failing call.
    let text = unsafe { CStr::from_ptr(c::tm_error_text()) };
    Err(Error {
        code,
        text: text.to_string_lossy().into_owned(),
    })
}

/// What happened so far. It may move to another thread; two may not share it.
pub struct Model(*mut c::Model);

unsafe impl Send for Model {}

impl Model {
    pub fn new() -> Result<Self, Error> {
        let mut made = ptr::null_mut();
        check(unsafe { c::tm_model_new(&mut made, ptr::null()) })?;
        Ok(Model(made))
    }

    pub fn ingest(&mut self, events: &[Event]) -> Result<(), Error> {
        check(unsafe { c::tm_model_ingest(self.0, events.as_ptr(), events.len()) })
    }

    pub fn timeline(&self) -> Result<Table, Error> {
        let mut answer = ptr::null_mut();
        check(unsafe { c::tm_timeline_list(&mut answer, self.0, ptr::null()) })?;
        Ok(Table(answer))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { c::tm_model_free(self.0) }
    }
}

/// An answer: immutable, and independent of its model.
pub struct Table(*mut c::Table);

unsafe impl Send for Table {}
unsafe impl Sync for Table {}

impl Table {
    pub fn rows(&self) -> usize {
        unsafe { c::tm_table_row_count(self.0) }
    }

    /// `None`: it has no column of this name.
    pub fn column(&self, name: &str) -> Option<Column<'_>> {
        let name = CString::new(name).ok()?;
        let number = unsafe { c::tm_table_column(self.0, name.as_ptr()) };
        (number >= 0).then_some(Column {
            table: self.0,
            number,
            life: PhantomData,
        })
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        unsafe { c::tm_table_free(self.0) }
    }
}

/// A column of a table, which it does not outlive.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    table: *const c::Table,
    number: c_int,
    life: PhantomData<&'a Table>,
}

impl<'a> Column<'a> {
    /// 0 where it is null, of another type, or beyond the last row.
    pub fn int64(&self, row: usize) -> i64 {
        unsafe { c::tm_table_cell_int64(self.table, self.number, row) }
    }

    /// The same of a column of ids.
    pub fn uint64(&self, row: usize) -> u64 {
        unsafe { c::tm_table_cell_uint64(self.table, self.number, row) }
    }

    /// `None` where it is null, of another type, or beyond the last row. Names come from
    /// the recorded program: what is not UTF-8 is replaced.
    pub fn text(&self, row: usize) -> Option<std::borrow::Cow<'a, str>> {
        let text = unsafe { c::tm_table_cell_string(self.table, self.number, row) };
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
    }
}
