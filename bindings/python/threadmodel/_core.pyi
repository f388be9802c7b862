# SPDX-License-Identifier: Apache-2.0
"""The C library as CFFI has it. Made by ./dev describe from the headers.

A class with the name of a struct is a pointer to it, or an array of them.
"""

from collections.abc import Callable
from typing import Generic, Literal, Self, TypeVar, overload

_T = TypeVar("_T")
_C = TypeVar("_C", bound="CData")
_F = TypeVar("_F", bound=Callable[..., object])

class CData:
    """A value of C: pointers are equal where they point to the same."""

    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __int__(self) -> int: ...
    def __len__(self) -> int: ...

class Pointer(CData, Generic[_T]):
    """A pointer to numbers or pointers, or an array of them."""

    def __getitem__(self, index: int) -> _T: ...
    def __setitem__(self, index: int, value: _T) -> None: ...

class Chars(CData):
    """A pointer to characters, or an array of them."""

class Null(CData):
    """No pointer, of whatever type."""

class CType:
    """A type of C."""

    @property
    def item(self) -> CType: ...

class Buffer:
    """Memory of C."""

    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __getitem__(self, index: slice) -> bytes: ...
    def __len__(self) -> int: ...

class tm_allocator(CData):
    resize: Callable[[object, object, int], object] | Null
    payload: object
    def __getitem__(self, index: int) -> Self: ...

class tm_table(CData): ...

class ArrowSchema(CData):
    format: Chars | Null
    name: Chars | Null
    metadata: Chars | Null
    flags: int
    n_children: int
    children: Pointer[ArrowSchema] | Null
    dictionary: ArrowSchema | Null
    release: Callable[[ArrowSchema], None] | Null
    private_data: object
    def __getitem__(self, index: int) -> Self: ...

class ArrowArray(CData):
    length: int
    null_count: int
    offset: int
    n_buffers: int
    n_children: int
    buffers: Pointer[object] | Null
    children: Pointer[ArrowArray] | Null
    dictionary: ArrowArray | Null
    release: Callable[[ArrowArray], None] | Null
    private_data: object
    def __getitem__(self, index: int) -> Self: ...

class ArrowArrayStream(CData):
    get_schema: Callable[[ArrowArrayStream, ArrowSchema], int] | Null
    get_next: Callable[[ArrowArrayStream, ArrowArray], int] | Null
    get_last_error: Callable[[ArrowArrayStream], Chars] | Null
    release: Callable[[ArrowArrayStream], None] | Null
    private_data: object
    def __getitem__(self, index: int) -> Self: ...

class tm_executor(CData):
    size: int
    parallel_for: tm_parallel_for
    payload: object
    workers: int
    reserved: int
    def __getitem__(self, index: int) -> Self: ...

class tm_run(CData):
    size: int
    source: Chars | Null
    format: Chars | Null
    producer: Chars | Null
    vm: Chars | Null
    command: Chars | Null
    pid: int
    start_wall_ns: int
    start_ns: int
    end_ns: int
    threshold_ns: int
    kinds: int
    policy: int
    identity: int
    id: int
    cost_events: int
    cost_dropped: int
    cost_bytes: int
    cost_threads_ns: int
    cost_stacks_ns: int
    cost_recorder_ns: int
    processors: int
    ending: int
    ending_status: int
    object_kinds: int
    stopped_ns: int
    def __getitem__(self, index: int) -> Self: ...

class tm_class(CData):
    size: int
    id: int
    name: Chars | Null
    source: Chars | Null
    flags: int
    build_id: Chars | Null
    def __getitem__(self, index: int) -> Self: ...

class tm_line(CData):
    location: int
    line: int
    reserved: int
    def __getitem__(self, index: int) -> Self: ...

class tm_monitor_range(CData):
    enter: int
    end: int
    def __getitem__(self, index: int) -> Self: ...

class tm_method(CData):
    size: int
    id: int
    class_id: int
    name: Chars | Null
    signature: Chars | Null
    lines: tm_line | Null
    line_count: int
    flags: int
    monitors: tm_monitor_range | Null
    monitor_count: int
    def __getitem__(self, index: int) -> Self: ...

class tm_frame(CData):
    method: int
    location: int
    line: int
    reserved: int
    def __getitem__(self, index: int) -> Self: ...

class tm_stack(CData):
    size: int
    id: int
    flags: int
    frames: tm_frame | Null
    frame_count: int
    def __getitem__(self, index: int) -> Self: ...

class tm_thread(CData):
    size: int
    id: int
    object: int
    os_id: int
    name: Chars | Null
    group: Chars | Null
    priority: int
    flags: int
    pid: int
    def __getitem__(self, index: int) -> Self: ...

class tm_object(CData):
    size: int
    id: int
    class_id: int
    thread: int
    hash: int
    flags: int
    name: Chars | Null
    kind: int
    def __getitem__(self, index: int) -> Self: ...

class tm_event(CData):
    time_ns: int
    thread: int
    object: int
    peer: int
    value: int
    stack: int
    kind: int
    flags: int
    def __getitem__(self, index: int) -> Self: ...

class tm_sink(CData):
    size: int
    payload: object
    run: Callable[[object, tm_run], int] | Null
    caveat: Callable[[object, Chars], int] | Null
    define_class: Callable[[object, tm_class], int] | Null
    define_method: Callable[[object, tm_method], int] | Null
    define_stack: Callable[[object, tm_stack], int] | Null
    define_thread: Callable[[object, tm_thread], int] | Null
    define_object: Callable[[object, tm_object], int] | Null
    events: Callable[[object, tm_event, int], int] | Null
    def __getitem__(self, index: int) -> Self: ...

class tm_model(CData): ...

class tm_model_options(CData):
    size: int
    allocator: tm_allocator | Null
    memory_limit_bytes: int
    policy: int
    reserved: int
    executor: tm_executor | Null
    def __getitem__(self, index: int) -> Self: ...

class tm_selection(CData):
    size: int
    threads: Pointer[int] | Null
    thread_count: int
    classes: Pointer[Chars] | Null
    class_count: int
    from_ns: int
    to_ns: int
    columns: Pointer[Chars] | Null
    column_count: int
    def __getitem__(self, index: int) -> Self: ...

class tm_blame_options(CData):
    size: int
    keys: int
    states: int
    selection: tm_selection | Null
    libraries: Pointer[Chars] | Null
    library_count: int
    of: int
    def __getitem__(self, index: int) -> Self: ...

class tm_cause_options(CData):
    size: int
    kind: Chars | Null
    unit: int
    flags: int
    depth: int
    reserved: int
    def __getitem__(self, index: int) -> Self: ...

class tm_class_sums(CData): ...

class tm_deadlock_member(CData):
    thread: int
    object: int
    stack: int
    kind: int
    provenance: int
    def __getitem__(self, index: int) -> Self: ...

class tm_explain_options(CData):
    size: int
    thread: int
    at_ns: int
    count: int
    flags: int
    def __getitem__(self, index: int) -> Self: ...

class tm_export_options(CData):
    size: int
    allocator: tm_allocator | Null
    format: int
    state: int
    cutoff: float
    by_thread: int
    without_lines: int
    utc_offset_s: int
    side: int
    write: tm_write_fn
    payload: object
    from_ns: int
    to_ns: int
    def __getitem__(self, index: int) -> Self: ...

class tm_hold_options(CData):
    size: int
    keys: int
    library_count: int
    selection: tm_selection | Null
    libraries: Pointer[Chars] | Null
    def __getitem__(self, index: int) -> Self: ...

class tm_hprof_writer(CData): ...

class tm_hprof_writer_options(CData):
    size: int
    allocator: tm_allocator | Null
    cutoff: float
    start_wall_ns: int
    start_ns: int
    by_thread: int
    without_lines: int
    depth: int
    reserved: int
    def __getitem__(self, index: int) -> Self: ...

class tm_path_options(CData):
    size: int
    thread: int
    to_ns: int
    walk: int
    keys: int
    libraries: Pointer[Chars] | Null
    library_count: int
    reserved: int
    from_ns: int
    def __getitem__(self, index: int) -> Self: ...

class tm_recorder(CData): ...
class tm_recorder_thread(CData): ...

class tm_recorder_options(CData):
    size: int
    allocator: tm_allocator | Null
    path: Chars | Null
    sink: tm_sink | Null
    run: tm_run | Null
    rings: Chars | Null
    memory_bytes: int
    ring_bytes: int
    reserved: int
    def __getitem__(self, index: int) -> Self: ...

class tm_reorder(CData): ...

class tm_reorder_options(CData):
    size: int
    allocator: tm_allocator | Null
    window_ns: int
    event_limit: int
    def __getitem__(self, index: int) -> Self: ...

class tm_source(CData): ...

class tm_source_options(CData):
    size: int
    allocator: tm_allocator | Null
    dialect: Chars | Null
    time_unit_ns: int
    kinds: int
    flags: int
    reserved: int
    more_paths: Pointer[Chars] | Null
    more_count: int
    def __getitem__(self, index: int) -> Self: ...

class tm_statistics_options(CData):
    size: int
    keys: int
    library_count: int
    selection: tm_selection | Null
    libraries: Pointer[Chars] | Null
    def __getitem__(self, index: int) -> Self: ...

class tm_unit_options(CData):
    size: int
    stated_only: int
    reserved: int
    def __getitem__(self, index: int) -> Self: ...

class tm_whatif_options(CData):
    size: int
    class_name: Chars | Null
    method: Chars | Null
    object: Chars | Null
    factor: float
    libraries: Pointer[Chars] | Null
    library_count: int
    count: int
    change: int
    permits: int
    from_ns: int
    to_ns: int
    def __getitem__(self, index: int) -> Self: ...

class tm_writer(CData): ...

class tm_writer_options(CData):
    size: int
    allocator: tm_allocator | Null
    write: tm_write_fn
    payload: object
    format: int
    level: int
    block_events: int
    reserved: int
    dialect: Chars | Null
    time_unit_ns: int
    def __getitem__(self, index: int) -> Self: ...

class threadmodel_relay(CData): ...
class tm_write_fn(CData): ...
class tm_parallel_task(CData): ...
class tm_parallel_for(CData): ...
class tm_deadlock_fn(CData): ...

class FFI:
    """What CFFI itself offers, as far as the package uses it."""

    NULL: Null
    @overload
    def new(
        self, cdecl: Literal["tm_allocator *", "tm_allocator[]"], init: object = ...
    ) -> tm_allocator: ...
    @overload
    def new(
        self, cdecl: Literal["tm_table **"], init: object = ...
    ) -> Pointer[tm_table]: ...
    @overload
    def new(
        self, cdecl: Literal["tm_executor *", "tm_executor[]"], init: object = ...
    ) -> tm_executor: ...
    @overload
    def new(
        self, cdecl: Literal["tm_run *", "tm_run[]"], init: object = ...
    ) -> tm_run: ...
    @overload
    def new(
        self, cdecl: Literal["tm_class *", "tm_class[]"], init: object = ...
    ) -> tm_class: ...
    @overload
    def new(
        self, cdecl: Literal["tm_line *", "tm_line[]"], init: object = ...
    ) -> tm_line: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_monitor_range *", "tm_monitor_range[]"],
        init: object = ...,
    ) -> tm_monitor_range: ...
    @overload
    def new(
        self, cdecl: Literal["tm_method *", "tm_method[]"], init: object = ...
    ) -> tm_method: ...
    @overload
    def new(
        self, cdecl: Literal["tm_frame *", "tm_frame[]"], init: object = ...
    ) -> tm_frame: ...
    @overload
    def new(
        self, cdecl: Literal["tm_stack *", "tm_stack[]"], init: object = ...
    ) -> tm_stack: ...
    @overload
    def new(
        self, cdecl: Literal["tm_thread *", "tm_thread[]"], init: object = ...
    ) -> tm_thread: ...
    @overload
    def new(
        self, cdecl: Literal["tm_object *", "tm_object[]"], init: object = ...
    ) -> tm_object: ...
    @overload
    def new(
        self, cdecl: Literal["tm_event *", "tm_event[]"], init: object = ...
    ) -> tm_event: ...
    @overload
    def new(
        self, cdecl: Literal["tm_sink *", "tm_sink[]"], init: object = ...
    ) -> tm_sink: ...
    @overload
    def new(
        self, cdecl: Literal["tm_model **"], init: object = ...
    ) -> Pointer[tm_model]: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_model_options *", "tm_model_options[]"],
        init: object = ...,
    ) -> tm_model_options: ...
    @overload
    def new(
        self, cdecl: Literal["tm_selection *", "tm_selection[]"], init: object = ...
    ) -> tm_selection: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_blame_options *", "tm_blame_options[]"],
        init: object = ...,
    ) -> tm_blame_options: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_cause_options *", "tm_cause_options[]"],
        init: object = ...,
    ) -> tm_cause_options: ...
    @overload
    def new(
        self, cdecl: Literal["tm_class_sums **"], init: object = ...
    ) -> Pointer[tm_class_sums]: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_deadlock_member *", "tm_deadlock_member[]"],
        init: object = ...,
    ) -> tm_deadlock_member: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_explain_options *", "tm_explain_options[]"],
        init: object = ...,
    ) -> tm_explain_options: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_export_options *", "tm_export_options[]"],
        init: object = ...,
    ) -> tm_export_options: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_hold_options *", "tm_hold_options[]"],
        init: object = ...,
    ) -> tm_hold_options: ...
    @overload
    def new(
        self, cdecl: Literal["tm_hprof_writer **"], init: object = ...
    ) -> Pointer[tm_hprof_writer]: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_hprof_writer_options *", "tm_hprof_writer_options[]"],
        init: object = ...,
    ) -> tm_hprof_writer_options: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_path_options *", "tm_path_options[]"],
        init: object = ...,
    ) -> tm_path_options: ...
    @overload
    def new(
        self, cdecl: Literal["tm_recorder **"], init: object = ...
    ) -> Pointer[tm_recorder]: ...
    @overload
    def new(
        self, cdecl: Literal["tm_recorder_thread **"], init: object = ...
    ) -> Pointer[tm_recorder_thread]: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_recorder_options *", "tm_recorder_options[]"],
        init: object = ...,
    ) -> tm_recorder_options: ...
    @overload
    def new(
        self, cdecl: Literal["tm_reorder **"], init: object = ...
    ) -> Pointer[tm_reorder]: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_reorder_options *", "tm_reorder_options[]"],
        init: object = ...,
    ) -> tm_reorder_options: ...
    @overload
    def new(
        self, cdecl: Literal["tm_source **"], init: object = ...
    ) -> Pointer[tm_source]: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_source_options *", "tm_source_options[]"],
        init: object = ...,
    ) -> tm_source_options: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_statistics_options *", "tm_statistics_options[]"],
        init: object = ...,
    ) -> tm_statistics_options: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_unit_options *", "tm_unit_options[]"],
        init: object = ...,
    ) -> tm_unit_options: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_whatif_options *", "tm_whatif_options[]"],
        init: object = ...,
    ) -> tm_whatif_options: ...
    @overload
    def new(
        self, cdecl: Literal["tm_writer **"], init: object = ...
    ) -> Pointer[tm_writer]: ...
    @overload
    def new(
        self,
        cdecl: Literal["tm_writer_options *", "tm_writer_options[]"],
        init: object = ...,
    ) -> tm_writer_options: ...
    @overload
    def new(
        self, cdecl: Literal["threadmodel_relay **"], init: object = ...
    ) -> Pointer[threadmodel_relay]: ...
    @overload
    def new(
        self, cdecl: Literal["int32_t *", "int32_t[]"], init: object = ...
    ) -> Pointer[int]: ...
    @overload
    def new(
        self, cdecl: Literal["int64_t *", "int64_t[]"], init: object = ...
    ) -> Pointer[int]: ...
    @overload
    def new(
        self, cdecl: Literal["uint32_t *", "uint32_t[]"], init: object = ...
    ) -> Pointer[int]: ...
    @overload
    def new(
        self, cdecl: Literal["uint64_t *", "uint64_t[]"], init: object = ...
    ) -> Pointer[int]: ...
    @overload
    def new(
        self, cdecl: Literal["size_t *", "size_t[]"], init: object = ...
    ) -> Pointer[int]: ...
    @overload
    def new(self, cdecl: Literal["char[]"], init: object = ...) -> Chars: ...
    @overload
    def new(self, cdecl: Literal["char *[]"], init: object = ...) -> Pointer[Chars]: ...
    @overload
    def new(self, cdecl: str, init: object = ...) -> CData: ...
    @overload
    def from_buffer(self, cdecl: Literal["tm_event[]"], buffer: object) -> tm_event: ...
    @overload
    def from_buffer(
        self, cdecl: Literal["uint8_t[]", "uint64_t[]"], buffer: object
    ) -> Pointer[int]: ...
    @overload
    def cast(self, cdecl: Literal["char **"], source: CData) -> Pointer[Chars]: ...
    @overload
    def cast(self, cdecl: Literal["uintptr_t"], source: CData) -> CData: ...
    def gc(
        self, cdata: _C, destructor: Callable[[_C], object] | None, size: int = ...
    ) -> _C: ...
    def string(self, cdata: Chars | Null, maxlen: int = ...) -> bytes: ...
    def buffer(self, cdata: object, size: int = ...) -> Buffer: ...
    def memmove(self, to: object, source: object, count: int) -> None: ...
    def sizeof(self, of: str | CData | CType) -> int: ...
    def alignof(self, of: str | CType) -> int: ...
    def typeof(self, of: str | CData) -> CType: ...
    def new_handle(self, of: object) -> CData: ...
    def from_handle(self, handle: CData) -> object: ...
    def def_extern(
        self,
        name: str = ...,
        error: object = ...,
        onerror: Callable[..., object] = ...,
    ) -> Callable[[_F], _F]: ...

class Lib:
    """What the headers declare."""

    TM_TYPE_INT32: int
    TM_TYPE_INT64: int
    TM_TYPE_UINT64: int
    TM_TYPE_DOUBLE: int
    TM_TYPE_BOOL: int
    TM_TYPE_STRING: int
    TM_POLICY_UNKNOWN: int
    TM_POLICY_HOTSPOT: int
    TM_POLICY_TPTP: int
    TM_POLICY_REPORTED: int
    TM_IDENTITY_UNKNOWN: int
    TM_IDENTITY_EXACT: int
    TM_IDENTITY_HASH: int
    TM_IDENTITY_ADDRESS: int
    TM_ENDING_UNKNOWN: int
    TM_ENDING_WENT_ON: int
    TM_ENDING_EXITED: int
    TM_ENDING_SIGNALLED: int
    TM_CLASS_LIBRARY: int
    TM_METHOD_IDLES: int
    TM_STACK_TRUNCATED: int
    TM_THREAD_VIRTUAL: int
    TM_THREAD_DAEMON: int
    TM_THREAD_CARRIER: int
    TM_THREAD_AGENT: int
    TM_THREAD_NOT_FORKED: int
    TM_OBJECT_HAS_HASH: int
    TM_OBJECT_MAYBE_MANY: int
    TM_OBJECT_SYNCHRONIZER: int
    TM_OBJECT_KIND_UNKNOWN: int
    TM_OBJECT_KIND_MONITOR: int
    TM_OBJECT_KIND_SYNCHRONIZER: int
    TM_OBJECT_KIND_MUTEX: int
    TM_OBJECT_KIND_RWLOCK: int
    TM_OBJECT_KIND_SPIN_LOCK: int
    TM_OBJECT_KIND_CONDITION: int
    TM_OBJECT_KIND_SEMAPHORE: int
    TM_OBJECT_KIND_BARRIER: int
    TM_OBJECT_KIND_ONCE: int
    TM_OBJECT_KIND_CHANNEL: int
    TM_OBJECT_KIND_SOCKET: int
    TM_OBJECT_KIND_FILE: int
    TM_OBJECT_KIND_POLL: int
    TM_OBJECT_KIND_ACCEPT: int
    TM_OBJECT_KIND_NAME: int
    TM_OBJECT_KIND_PROCESS: int
    TM_OBJECT_KIND_FUTEX: int
    TM_OBJECT_KIND_END: int
    TM_EVENT_THREAD_START_CALLED: int
    TM_EVENT_THREAD_START: int
    TM_EVENT_THREAD_END: int
    TM_EVENT_CONTENDED_ENTER: int
    TM_EVENT_CONTENDED_ENTERED: int
    TM_EVENT_WAIT: int
    TM_EVENT_WAITED: int
    TM_EVENT_NOTIFY: int
    TM_EVENT_NOTIFY_ALL: int
    TM_EVENT_INTERRUPT_CALLED: int
    TM_EVENT_INTERRUPTED: int
    TM_EVENT_SLEEP: int
    TM_EVENT_SLEPT: int
    TM_EVENT_JOIN: int
    TM_EVENT_JOINED: int
    TM_EVENT_PARK: int
    TM_EVENT_UNPARKED: int
    TM_EVENT_UNPARK_CALLED: int
    TM_EVENT_VIRTUAL_MOUNT: int
    TM_EVENT_VIRTUAL_UNMOUNT: int
    TM_EVENT_HELD: int
    TM_EVENT_SNAPSHOT: int
    TM_EVENT_LOST: int
    TM_EVENT_CPU_SAMPLE: int
    TM_EVENT_GC_PAUSE: int
    TM_EVENT_PINNED: int
    TM_EVENT_SUBMIT_FAILED: int
    TM_EVENT_INFLATED: int
    TM_EVENT_ACQUIRED: int
    TM_EVENT_RELEASED: int
    TM_EVENT_AWAIT: int
    TM_EVENT_AWAITED: int
    TM_EVENT_POST: int
    TM_EVENT_RUNNABLE: int
    TM_EVENT_ON_CPU: int
    TM_EVENT_OFF_CPU: int
    TM_EVENT_SHUTDOWN: int
    TM_EVENT_CPU_TIME: int
    TM_EVENT_CPU_WAIT: int
    TM_EVENT_UNIT_BEGIN: int
    TM_EVENT_UNIT_END: int
    TM_EVENT_UNIT_RESUME: int
    TM_EVENT_UNIT_LEAVE: int
    TM_EVENT_NESTED: int
    TM_EVENT_KIND_END: int
    TM_INFLATION_UNKNOWN: int
    TM_INFLATION_ENTER: int
    TM_INFLATION_WAIT: int
    TM_INFLATION_NOTIFY: int
    TM_INFLATION_HASH: int
    TM_INFLATION_JNI: int
    TM_INFLATION_VM: int
    TM_INFLATION_END: int
    TM_EVENT_TIMED_OUT: int
    TM_EVENT_BY_INTERRUPT: int
    TM_EVENT_PEER_REPORTED: int
    TM_EVENT_PEER_INFERRED: int
    TM_EVENT_CONFIRMED: int
    TM_EVENT_SAMPLED: int
    TM_EVENT_PAUSED: int
    TM_EVENT_INITIALISATION: int
    TM_EVENT_SHARED: int
    TM_EVENT_NOT_OWNED: int
    TM_EVENT_OWNER_READ: int
    TM_EVENT_TIMED: int
    TM_EVENT_IDLE: int
    TM_EVENT_VOLUNTARY: int
    TM_STATE_UNKNOWN: int
    TM_STATE_NEW: int
    TM_STATE_RUNNING: int
    TM_STATE_BLOCKED: int
    TM_STATE_WAITING: int
    TM_STATE_REENTERING: int
    TM_STATE_JOINING: int
    TM_STATE_SLEEPING: int
    TM_STATE_PARKED: int
    TM_STATE_DEADLOCKED: int
    TM_STATE_DEAD: int
    TM_STATE_RUNNABLE: int
    TM_STATE_IO: int
    TM_STATE_NATIVE: int
    TM_STATE_END: int
    TM_PROVENANCE_UNKNOWN: int
    TM_PROVENANCE_INFERRED: int
    TM_PROVENANCE_EXACT: int
    TM_PROVENANCE_REPORTED: int
    TM_PROVENANCE_END: int
    TM_BLAME_BY_THREAD: int
    TM_BLAME_BY_CALLER: int
    TM_BLAME_BY_CLASS: int
    TM_BLAME_BY_OBJECT: int
    TM_BLAME_BY_OWNER: int
    TM_BLAME_BY_OWNER_METHOD: int
    TM_BLAME_BY_OWNER_STACK: int
    TM_BLAME_OF_LOCKS: int
    TM_BLAME_OF_RESOURCES: int
    TM_CAUSES_SLOWEST: int
    TM_CAUSES_MAIN: int
    TM_CAUSES_STATED_ONLY: int
    TM_CAUSES_THREADS: int
    TM_DIAGNOSTIC_UNKNOWN_KIND: int
    TM_DIAGNOSTIC_NO_THREAD: int
    TM_DIAGNOSTIC_BACKWARD_TIME: int
    TM_DIAGNOSTIC_ENTERED_WITHOUT_ENTER: int
    TM_DIAGNOSTIC_ENTER_WITHOUT_ENTERED: int
    TM_DIAGNOSTIC_WAITED_WITHOUT_WAIT: int
    TM_DIAGNOSTIC_WAIT_WITHOUT_WAITED: int
    TM_DIAGNOSTIC_END_WITHOUT_BEGIN: int
    TM_DIAGNOSTIC_BEGIN_WITHOUT_END: int
    TM_DIAGNOSTIC_OTHER_OBJECT: int
    TM_DIAGNOSTIC_AFTER_END: int
    TM_DIAGNOSTIC_STARTED_TWICE: int
    TM_DIAGNOSTIC_UNDEFINED_THREAD: int
    TM_DIAGNOSTIC_UNDEFINED_OBJECT: int
    TM_DIAGNOSTIC_UNDEFINED_STACK: int
    TM_DIAGNOSTIC_UNDEFINED_METHOD: int
    TM_DIAGNOSTIC_STALE_OWNER: int
    TM_DIAGNOSTIC_OUT_OF_MEMORY: int
    TM_DIAGNOSTIC_LOST_BY_PRODUCER: int
    TM_DIAGNOSTIC_EVICTED: int
    TM_DIAGNOSTIC_UNKNOWN_STATE: int
    TM_DIAGNOSTIC_OWN_PEER: int
    TM_DIAGNOSTIC_TIME_RANGE: int
    TM_DIAGNOSTIC_INITIALISATION_WAIT: int
    TM_DIAGNOSTIC_TWO_OWNERS: int
    TM_DIAGNOSTIC_LATE_OWNER: int
    TM_DIAGNOSTIC_ACQUIRED_TWICE: int
    TM_DIAGNOSTIC_RELEASED_BY_ANOTHER: int
    TM_DIAGNOSTIC_UNIT_NOT_BEGUN: int
    TM_DIAGNOSTIC_UNIT_BEGUN_TWICE: int
    TM_DIAGNOSTIC_UNIT_LEFT_OUT: int
    TM_DIAGNOSTIC_FORGOTTEN_THREAD: int
    TM_DIAGNOSTIC_FORGOTTEN_OBJECT: int
    TM_DIAGNOSTIC_END: int
    TM_OK: int
    TM_MORE: int
    TM_ENOMEM: int
    TM_EINVAL: int
    TM_EIO: int
    TM_EFORMAT: int
    TM_EDAMAGED: int
    TM_EVERSION: int
    TM_ENOTFOUND: int
    TM_ELIMIT: int
    TM_EUNSUPPORTED: int
    TM_ESTOPPED: int
    TM_EXPLAIN_AT: int
    TM_EXPORT_PERFETTO: int
    TM_EXPORT_CHROME: int
    TM_EXPORT_COLLAPSED: int
    TM_EXPORT_DOT: int
    TM_EXPORT_HPROF: int
    TM_EXPORT_PPROF: int
    TM_EXPORT_OTLP: int
    TM_EXPORT_WAITERS: int
    TM_EXPORT_OWNERS: int
    TM_HOLD_BY_CLASS: int
    TM_HOLD_BY_CALLER: int
    TM_HOLD_BY_OBJECT: int
    TM_HOLD_BY_OWNER: int
    TM_INTERACTION_START: int
    TM_INTERACTION_HANDOFF: int
    TM_INTERACTION_NOTIFY: int
    TM_INTERACTION_NOTIFY_ALL: int
    TM_INTERACTION_JOIN: int
    TM_INTERACTION_INTERRUPT: int
    TM_INTERACTION_UNPARK: int
    TM_INTERACTION_TIMEOUT: int
    TM_INTERACTION_POST: int
    TM_PATH_DECIDED: int
    TM_PATH_WAITED_FOR: int
    TM_PATH_BY_THREAD: int
    TM_PATH_BY_METHOD: int
    TM_PATH_BY_CLASS: int
    TM_PATH_BY_STATE: int
    TM_SOURCE_NO_STACKS: int
    TM_SOURCE_BY_THREAD: int
    TM_SOURCE_PATHS: int
    TM_STATISTICS_BY_CLASS: int
    TM_STATISTICS_BY_CALLER: int
    TM_STATISTICS_BY_OBJECT: int
    TM_STATISTICS_BY_THREAD: int
    TM_STATISTICS_BY_GROUP: int
    TM_STATISTICS_BY_STACK: int
    TM_STATISTICS_BY_METHOD: int
    TM_STATISTICS_BY_LINE: int
    TM_STATISTICS_BY_LATENCY: int
    TM_VERDICT_CANNOT_TELL: int
    TM_VERDICT_DEADLOCKED: int
    TM_VERDICT_STUCK: int
    TM_VERDICT_PARTLY_STUCK: int
    TM_VERDICT_STARVED: int
    TM_VERDICT_BOUND: int
    TM_VERDICT_IDLE: int
    TM_VERDICT_HEALTHY: int
    TM_VERDICT_END: int
    TM_WAIT_EDGE_UNKNOWN: int
    TM_WAIT_EDGE_OWNER: int
    TM_WAIT_EDGE_DEAD_OWNER: int
    TM_WAIT_EDGE_SELF: int
    TM_WAIT_EDGE_JOIN: int
    TM_WAIT_EDGE_CLASS: int
    TM_WAIT_EDGE_SERVED: int
    TM_WAIT_EDGE_TASK: int
    TM_WAIT_EDGE_CARRIER: int
    TM_WAIT_EDGE_END: int
    TM_WHATIF_HOLDS: int
    TM_WHATIF_METHOD: int
    TM_WHATIF_USES: int
    TM_WHATIF_PERMITS: int
    TM_WHATIF_IO: int
    TM_WHATIF_PROCESSORS: int
    TM_WHATIF_END: int
    TM_WRITER_TRACE: int
    TM_WRITER_CONTENTION: int
    TM_WRITER_TPTP: int
    ARROW_FLAG_DICTIONARY_ORDERED: int
    ARROW_FLAG_NULLABLE: int
    ARROW_FLAG_MAP_KEYS_SORTED: int
    TM_RECORDER_FRAMES: int
    TM_RECORDER_NAME_BYTES: int
    TM_VERSION_MAJOR: int
    TM_VERSION_MINOR: int
    TM_VERSION_PATCH: int
    threadmodel_write: tm_write_fn
    def tm_table_name(self, table: tm_table | Null, /) -> Chars: ...
    def tm_table_row_count(self, table: tm_table | Null, /) -> int: ...
    def tm_table_column_count(self, table: tm_table | Null, /) -> int: ...
    def tm_table_column_name(self, table: tm_table | Null, column: int, /) -> Chars: ...
    def tm_table_column_type(self, table: tm_table | Null, column: int, /) -> int: ...
    def tm_table_int32(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> Pointer[int]: ...
    def tm_table_int64(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> Pointer[int]: ...
    def tm_table_uint64(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> Pointer[int]: ...
    def tm_table_double(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> Pointer[float]: ...
    def tm_table_bool(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> Pointer[int]: ...
    def tm_table_codes(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> Pointer[int]: ...
    def tm_table_category_count(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> int: ...
    def tm_table_category(
        self, table: tm_table | Null, column: Chars | bytes | Null, code: int, /
    ) -> Chars: ...
    def tm_table_string(
        self, table: tm_table | Null, column: Chars | bytes | Null, row: int, /
    ) -> Chars: ...
    def tm_table_is_null(
        self, table: tm_table | Null, column: Chars | bytes | Null, row: int, /
    ) -> int: ...
    def tm_table_validity(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> Pointer[int]: ...
    def tm_table_column(
        self, table: tm_table | Null, column: Chars | bytes | Null, /
    ) -> int: ...
    def tm_table_cell_int64(
        self, table: tm_table | Null, column: int, row: int, /
    ) -> int: ...
    def tm_table_cell_uint64(
        self, table: tm_table | Null, column: int, row: int, /
    ) -> int: ...
    def tm_table_cell_double(
        self, table: tm_table | Null, column: int, row: int, /
    ) -> float: ...
    def tm_table_cell_string(
        self, table: tm_table | Null, column: int, row: int, /
    ) -> Chars: ...
    def tm_table_cell_is_null(
        self, table: tm_table | Null, column: int, row: int, /
    ) -> int: ...
    def tm_table_caveat_count(self, table: tm_table | Null, /) -> int: ...
    def tm_table_caveat(self, table: tm_table | Null, index: int, /) -> Chars: ...
    def tm_table_gather(
        self,
        out: Pointer[tm_table] | Null,
        table: tm_table | Null,
        rows: Pointer[int] | Null,
        count: int,
        /,
    ) -> int: ...
    def tm_table_mark(
        self,
        marks: Pointer[int] | Null,
        table: tm_table | Null,
        column: Chars | bytes | Null,
        values: Pointer[int] | Null,
        count: int,
        with_null: int,
        /,
    ) -> int: ...
    def tm_table_write_csv(
        self, table: tm_table | Null, write: tm_write_fn, payload: object, /
    ) -> int: ...
    def tm_table_write_sheet(
        self, table: tm_table | Null, write: tm_write_fn, payload: object, /
    ) -> int: ...
    def tm_table_write_json(
        self, table: tm_table | Null, write: tm_write_fn, payload: object, /
    ) -> int: ...
    def tm_table_free(self, table: tm_table | Null, /) -> None: ...
    def tm_table_export_arrow(
        self,
        schema: ArrowSchema | Null,
        array: ArrowArray | Null,
        table: tm_table | Null,
        /,
    ) -> int: ...
    def tm_table_export_arrow_stream(
        self, stream: ArrowArrayStream | Null, table: tm_table | Null, /
    ) -> int: ...
    def tm_object_kind_name(self, kind: int, /) -> Chars: ...
    def tm_event_kind_name(self, kind: int, /) -> Chars: ...
    def tm_inflation_name(self, cause: int, /) -> Chars: ...
    def tm_model_new(
        self, out: Pointer[tm_model] | Null, options: tm_model_options | Null, /
    ) -> int: ...
    def tm_model_sink(self, model: tm_model | Null, /) -> tm_sink: ...
    def tm_model_ingest(
        self, model: tm_model | Null, events: tm_event | Null, count: int, /
    ) -> int: ...
    def tm_model_event_count(self, model: tm_model | Null, /) -> int: ...
    def tm_model_memory_bytes(self, model: tm_model | Null, /) -> int: ...
    def tm_model_run(self, model: tm_model | Null, /) -> tm_run: ...
    def tm_model_length_ns(self, model: tm_model | Null, /) -> int: ...
    def tm_caveat_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_state_name(self, state: int, /) -> Chars: ...
    def tm_provenance_name(self, provenance: int, /) -> Chars: ...
    def tm_model_free(self, model: tm_model | Null, /) -> None: ...
    def tm_blame_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_blame_options | Null,
        /,
    ) -> int: ...
    def tm_blocker_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_cause_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        options: tm_cause_options | Null,
        /,
    ) -> int: ...
    def tm_class_sums_new(
        self, out: Pointer[tm_class_sums] | Null, allocator: tm_allocator | Null, /
    ) -> int: ...
    def tm_class_sums_sink(self, summary: tm_class_sums | Null, /) -> tm_sink: ...
    def tm_class_sums_list(
        self, out: Pointer[tm_table] | Null, summary: tm_class_sums | Null, /
    ) -> int: ...
    def tm_class_sums_left_out(
        self, summary: tm_class_sums | Null, state: int, /
    ) -> int: ...
    def tm_class_sums_free(self, summary: tm_class_sums | Null, /) -> None: ...
    def tm_context_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_context_sum(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_deadlock_watch(
        self, model: tm_model | Null, found: tm_deadlock_fn, payload: object, /
    ) -> None: ...
    def tm_deadlock_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_deadlock_confirm(
        self, model: tm_model | Null, deadlock: int, stands: int, /
    ) -> int: ...
    def tm_diagnostic_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_diagnostic_name(self, cause: int, /) -> Chars: ...
    def tm_error_text(self) -> Chars: ...
    def tm_error_name(self, code: int, /) -> Chars: ...
    def tm_explanation_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_explain_options | Null,
        /,
    ) -> int: ...
    def tm_export_write(
        self,
        model: tm_model | Null,
        path: Chars | bytes | Null,
        options: tm_export_options | Null,
        /,
    ) -> int: ...
    def tm_finding_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_finding_list_part(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_finding_kind_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_hold_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_hold_group(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_hold_options | Null,
        /,
    ) -> int: ...
    def tm_hprof_writer_open(
        self,
        out: Pointer[tm_hprof_writer] | Null,
        path: Chars | bytes | Null,
        options: tm_hprof_writer_options | Null,
        /,
    ) -> int: ...
    def tm_hprof_writer_new(
        self,
        out: Pointer[tm_hprof_writer] | Null,
        write: tm_write_fn,
        payload: object,
        options: tm_hprof_writer_options | Null,
        /,
    ) -> int: ...
    def tm_hprof_writer_sink(self, writer: tm_hprof_writer | Null, /) -> tm_sink: ...
    def tm_hprof_writer_flush(self, writer: tm_hprof_writer | Null, /) -> int: ...
    def tm_hprof_writer_close(self, writer: tm_hprof_writer | Null, /) -> int: ...
    def tm_interaction_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_interaction_kind_name(self, kind: int, /) -> Chars: ...
    def tm_lock_order_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_lock_edge_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_module_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_path_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_path_options | Null,
        /,
    ) -> int: ...
    def tm_path_sum(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_path_options | Null,
        /,
    ) -> int: ...
    def tm_recorder_open(
        self, out: Pointer[tm_recorder] | Null, options: tm_recorder_options | Null, /
    ) -> int: ...
    def tm_recorder_start(
        self, recorder: tm_recorder | Null, every_ms: int, /
    ) -> int: ...
    def tm_recorder_drain(self, recorder: tm_recorder | Null, /) -> int: ...
    def tm_recorder_wake_fd(self, recorder: tm_recorder | Null, /) -> int: ...
    def tm_recorder_lost_count(self, recorder: tm_recorder | Null, /) -> int: ...
    def tm_recorder_close(self, recorder: tm_recorder | Null, /) -> int: ...
    def tm_recorder_attach(
        self,
        recorder: tm_recorder | Null,
        definition: tm_thread | Null,
        out: Pointer[tm_recorder_thread] | Null,
        /,
    ) -> int: ...
    def tm_recorder_detach(self, thread: tm_recorder_thread | Null, /) -> None: ...
    def tm_recorder_report(
        self,
        thread: tm_recorder_thread | Null,
        event: tm_event | Null,
        frames: tm_frame | Null,
        frame_count: int,
        /,
    ) -> int: ...
    def tm_recorder_define_class(
        self, thread: tm_recorder_thread | Null, definition: tm_class | Null, /
    ) -> int: ...
    def tm_recorder_define_method(
        self, thread: tm_recorder_thread | Null, definition: tm_method | Null, /
    ) -> int: ...
    def tm_recorder_define_thread(
        self, thread: tm_recorder_thread | Null, definition: tm_thread | Null, /
    ) -> int: ...
    def tm_recorder_define_object(
        self, thread: tm_recorder_thread | Null, definition: tm_object | Null, /
    ) -> int: ...
    def tm_reorder_new(
        self,
        out: Pointer[tm_reorder] | Null,
        to: tm_sink | Null,
        options: tm_reorder_options | Null,
        /,
    ) -> int: ...
    def tm_reorder_sink(self, window: tm_reorder | Null, /) -> tm_sink: ...
    def tm_reorder_flush(self, window: tm_reorder | Null, until_ns: int, /) -> int: ...
    def tm_reorder_late_count(self, window: tm_reorder | Null, /) -> int: ...
    def tm_reorder_free(self, window: tm_reorder | Null, /) -> None: ...
    def tm_resource_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_resource_use_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_source_open(
        self,
        out: Pointer[tm_source] | Null,
        path: Chars | bytes | Null,
        options: tm_source_options | Null,
        /,
    ) -> int: ...
    def tm_source_read(
        self, source: tm_source | Null, sink: tm_sink | Null, /
    ) -> int: ...
    def tm_source_follow(self, source: tm_source | Null, growing: int, /) -> int: ...
    def tm_source_format(self, source: tm_source | Null, /) -> Chars: ...
    def tm_source_position_bytes(self, source: tm_source | Null, /) -> int: ...
    def tm_source_length_bytes(self, source: tm_source | Null, /) -> int: ...
    def tm_source_close(self, source: tm_source | Null, /) -> None: ...
    def tm_thread_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_statistics_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_statistics_options | Null,
        /,
    ) -> int: ...
    def tm_statistics_sum(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_statistics_options | Null,
        /,
    ) -> int: ...
    def tm_histogram_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_statistics_options | Null,
        state: int,
        /,
    ) -> int: ...
    def tm_summary_merge(
        self,
        out: Pointer[tm_table] | Null,
        tables: Pointer[tm_table] | Null,
        count: int,
        /,
    ) -> int: ...
    def tm_summary_import(
        self,
        out: Pointer[tm_table] | Null,
        name: Chars | bytes | Null,
        schema: ArrowSchema | Null,
        array: ArrowArray | Null,
        allocator: tm_allocator | Null,
        /,
    ) -> int: ...
    def tm_timeline_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_tile_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        tile_ns: int,
        /,
    ) -> int: ...
    def tm_tile_fit(
        self,
        tile_ns: Pointer[int] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        max_rows: int,
        /,
    ) -> int: ...
    def tm_stack_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_unit_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        options: tm_unit_options | Null,
        /,
    ) -> int: ...
    def tm_unit_kind_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        options: tm_unit_options | Null,
        /,
    ) -> int: ...
    def tm_unit_part_list(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        options: tm_unit_options | Null,
        /,
    ) -> int: ...
    def tm_verdict_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_verdict_list_part(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_verdict_member_list(
        self, out: Pointer[tm_table] | Null, model: tm_model | Null, /
    ) -> int: ...
    def tm_verdict_member_list_part(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        selection: tm_selection | Null,
        /,
    ) -> int: ...
    def tm_verdict_name(self, verdict: int, /) -> Chars: ...
    def tm_wait_edge_name(self, edge: int, /) -> Chars: ...
    def tm_version(self) -> int: ...
    def tm_build_lacks(self) -> Chars: ...
    def tm_whatif_change_name(self, change: int, /) -> Chars: ...
    def tm_whatif_predict(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_whatif_options | Null,
        /,
    ) -> int: ...
    def tm_whatif_rank(
        self,
        out: Pointer[tm_table] | Null,
        model: tm_model | Null,
        options: tm_whatif_options | Null,
        /,
    ) -> int: ...
    def tm_writer_open(
        self,
        out: Pointer[tm_writer] | Null,
        path: Chars | bytes | Null,
        options: tm_writer_options | Null,
        /,
    ) -> int: ...
    def tm_writer_sink(self, writer: tm_writer | Null, /) -> tm_sink: ...
    def tm_writer_flush(self, writer: tm_writer | Null, /) -> int: ...
    def tm_writer_written_bytes(self, writer: tm_writer | Null, /) -> int: ...
    def tm_writer_dropped_count(
        self, writer: tm_writer | Null, kind: int, /
    ) -> int: ...
    def tm_writer_close(self, writer: tm_writer | Null, /) -> int: ...
    def threadmodel_relay_new(self, room: int, /) -> threadmodel_relay: ...
    def threadmodel_relay_sink(self, relay: threadmodel_relay | Null, /) -> tm_sink: ...
    def threadmodel_relay_close(self, relay: threadmodel_relay | Null, /) -> None: ...
    def threadmodel_relay_read(
        self, relay: threadmodel_relay | Null, sink: tm_sink | Null, /
    ) -> int: ...
    def threadmodel_relay_stop(self, relay: threadmodel_relay | Null, /) -> None: ...
    def threadmodel_relay_free(self, relay: threadmodel_relay | Null, /) -> None: ...
    def threadmodel_threads_executor(
        self, executor: tm_executor | Null, workers: int, /
    ) -> None: ...

ffi: FFI
lib: Lib
