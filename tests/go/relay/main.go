// SPDX-License-Identifier: Apache-2.0
// Command relay has pairs of goroutines hand a ball to and fro, and records itself: a
// trace of nothing but blocks, for the speed of who reads it.
package main

import (
	"flag"
	"os"
	"runtime/trace"
	"sync"
)

func hand(from <-chan int, to chan<- int, turns int, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < turns; i++ {
		to <- <-from
	}
}

func main() {
	turns := flag.Int("turns", 100000, "how often each hands the ball on")
	pairs := flag.Int("pairs", 8, "pairs of goroutines")
	flag.Parse()
	f, err := os.Create(flag.Arg(0))
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < *pairs; i++ {
		there, back := make(chan int), make(chan int, 1)
		wg.Add(2)
		go hand(there, back, *turns, &wg)
		go hand(back, there, *turns, &wg)
		back <- i
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
