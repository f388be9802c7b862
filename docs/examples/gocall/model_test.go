// SPDX-License-Identifier: Apache-2.0

package threadmodel

import "fmt"

// Two threads meet at one lock: the second wants it at 10 ms, and has it at 25.
func Example() {
	const ms = 1000000
	model, err := NewModel()
	if err != nil {
		panic(err)
	}
	defer model.Close()
	err = model.Ingest([]Event{
		{TimeNs: 0, Kind: ThreadStart, Thread: 1},
		{TimeNs: 1 * ms, Kind: ThreadStart, Thread: 2},
		{TimeNs: 10 * ms, Kind: ContendedEnter, Thread: 2, Object: 4},
		{TimeNs: 25 * ms, Kind: ContendedEntered, Thread: 2, Object: 4},
		{TimeNs: 40 * ms, Kind: ThreadEnd, Thread: 2},
	})
	if err != nil {
		panic(err)
	}
	timeline, err := model.Timeline()
	if err != nil {
		panic(err)
	}
	defer timeline.Close()
	start, thread := timeline.Column("start_ns"), timeline.Column("thread_id")
	state := timeline.Column("state")
	for row := 0; row < timeline.Rows(); row++ {
		fmt.Println(timeline.Int64(start, row)/ms, "ms thread",
			timeline.Uint64(thread, row), timeline.String(state, row))
	}
	// Output:
	// 0 ms thread 1 running
	// 1 ms thread 2 running
	// 10 ms thread 2 blocked
	// 25 ms thread 2 running
	// 40 ms thread 2 dead
}
