// SPDX-License-Identifier: Apache-2.0
// Command assist allocates faster than the collector marks, so that goroutines have to
// help it and wait where there is nothing to help with, and records itself.
package main

import (
	"os"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"time"
)

type node struct {
	next *node
	more [6]int
}

var sink [8]*node

func main() {
	debug.SetGCPercent(5)
	// A long list, which the collector marks again and again, one node after the other.
	var live *node
	for i := 0; i < 1<<19; i++ {
		live = &node{next: live}
	}
	f, _ := os.Create(os.Args[1])
	trace.Start(f)
	var wg sync.WaitGroup
	end := time.Now().Add(100 * time.Millisecond)
	for i := range sink {
		wg.Add(1)
		go allocate(i, end, &wg)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
	sink[0] = live
}

func allocate(i int, end time.Time, wg *sync.WaitGroup) {
	defer wg.Done()
	for time.Now().Before(end) {
		for j := 0; j < 1000; j++ {
			sink[i] = &node{}
		}
	}
}
