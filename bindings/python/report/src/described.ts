// SPDX-License-Identifier: Apache-2.0
// Made by ./dev describe from the enums of the public headers.

/** enum tm_state, in the order of its numbers. */
export const STATE = {
  unknown: "not known",
  new: "start was called, it does not run yet",
  running: "runs: no event shows that it does anything else",
  blocked: "queues for a monitor or mutex",
  waiting: "in Object.wait, before a notify; or for what no thread owns",
  reentering: "notified, queues for the monitor or mutex again",
  joining: "waits for a thread to end",
  sleeping: "in Thread.sleep",
  parked: "in LockSupport.park",
  deadlocked: "blocked, joining or parked in a cycle",
  dead: "has ended",
  runnable: "woken or preempted, and not on a processor",
  io: "waits in the kernel for a socket, file, poll, accept, name or process",
  native: "left its processor to wait, for what is not known",
} as const;
export type State = keyof typeof STATE;

/** enum tm_interaction_kind, in the order of its numbers. */
export const INTERACTION_KIND = {
  start: "Thread.start -> the new thread runs",
  handoff: "a lock is released -> the next owner",
  notify: "notify -> the waiter leaves the wait set",
  notify_all: "notifyAll -> one row for each waiter woken",
  join: "a thread ends -> one that joined it continues",
  interrupt: "interrupt -> a wait, sleep, join or park ends",
  unpark: "unpark -> the parked thread continues",
  timeout: "time was up; there is no from-thread",
  post: "post -> one that awaited the object continues",
} as const;
export type InteractionKind = keyof typeof INTERACTION_KIND;

/** enum tm_type, in the order of its numbers. */
export const TYPE = {
  int32: "",
  int64: "",
  uint64: "",
  double: "",
  bool: "one bit a row, lowest first, as Arrow has it",
  string: "an int32 code a row into a dictionary of UTF-8 strings",
} as const;
export type Type = keyof typeof TYPE;

/** States that statistics sum up by any keys. */
export const SUMMED_STATES = ["blocked", "waiting", "reentering", "joining", "parked", "io"] as const;
