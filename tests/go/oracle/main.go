// SPDX-License-Identifier: Apache-2.0
// Lists the transitions of goroutines in an execution trace, one a line: the goroutine,
// its states before and after, the goroutine that made the change, and the time.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"golang.org/x/exp/trace"
)

func main() {
	in, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	reader, err := trace.NewReader(bufio.NewReader(in))
	if err != nil {
		panic(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		event, err := reader.ReadEvent()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
		if event.Kind() != trace.EventStateTransition {
			continue
		}
		change := event.StateTransition()
		if change.Resource.Kind != trace.ResourceGoroutine {
			continue
		}
		from, to := change.Goroutine()
		by := event.Goroutine()
		if by == trace.NoGoroutine {
			by = 0
		}
		fmt.Fprintf(out, "%d %v %v %d %q %d\n", change.Resource.Goroutine(), from, to, by, change.Reason, event.Time())
	}
}
