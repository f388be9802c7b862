// SPDX-License-Identifier: Apache-2.0
// Two threads meet at one lock: the second wants it at 10 ms, and has it at 25.
use threadmodel::{Error, Event, Model};

const MS: i64 = 1_000_000;

fn main() -> Result<(), Error> {
    let event = |time_ms: i64, kind, thread, object| Event {
        time_ns: time_ms * MS,
        kind,
        thread,
        object,
        ..Event::default()
    };
    let mut model = Model::new()?;

    model.ingest(&[
        event(0, threadmodel::THREAD_START, 1, 0),
        event(1, threadmodel::THREAD_START, 2, 0),
        event(10, threadmodel::CONTENDED_ENTER, 2, 4),
        event(25, threadmodel::CONTENDED_ENTERED, 2, 4),
        event(40, threadmodel::THREAD_END, 2, 0),
    ])?;
    let timeline = model.timeline()?;
    drop(model);
    let column = |name| timeline.column(name).expect(name);
    let (start, thread, state) = (column("start_ns"), column("thread_id"), column("state"));
    for row in 0..timeline.rows() {
        println!(
            "{} ms thread {} {}",
            start.int64(row) / MS,
            thread.uint64(row),
            state.text(row).as_deref().unwrap_or("?")
        );
    }
    Ok(())
}
