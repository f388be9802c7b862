// SPDX-License-Identifier: Apache-2.0
// Command tasks has goroutines work on tasks of runtime/trace, with regions, and records
// itself. It prints a line for each task: its name, the number of its regions, and two
// lengths between which its own lies, from within and from outside.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

// A task begins on one goroutine; a region of it is on another, which ends the task.
func order(name string, wg *sync.WaitGroup, lines chan<- string) {
	before := time.Now()
	ctx, task := trace.NewTask(context.Background(), name)
	within := time.Now()
	trace.WithRegion(ctx, "query", func() {
		time.Sleep(5 * time.Millisecond)
		defer trace.StartRegion(ctx, "row").End()
		time.Sleep(time.Millisecond)
	})
	go func() {
		defer wg.Done()
		trace.WithRegion(ctx, "send", func() { time.Sleep(2 * time.Millisecond) })
		least := time.Since(within)
		task.End()
		lines <- fmt.Sprintf("%s\t3\t%d\t%d", name, least, time.Since(before))
	}()
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	lines := make(chan string, 100)
	for i := 0; i < 10; i++ {
		wg.Add(1)
		go order([]string{"order/new", "order/old"}[i%2], &wg, lines)
	}
	wg.Wait()
	trace.WithRegion(context.Background(), "alone", func() {})
	trace.Stop()
	f.Close()
	close(lines)
	for line := range lines {
		fmt.Println(line)
	}
}
