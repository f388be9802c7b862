// SPDX-License-Identifier: Apache-2.0
// Command gate has goroutines wait for a mutex and a channel, and records it three times
// at once: as a trace, and as profiles of mutexes and of blocking. All wait before the
// first is let in, and nobody comes later, so that nobody who was woken has to wait again.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

type gate struct {
	mu   sync.Mutex
	open chan bool
	wg   sync.WaitGroup
}

func (g *gate) pass() {
	defer g.wg.Done()
	g.mu.Lock()
	spin(300 * time.Microsecond)
	g.mu.Unlock()
}

func (g *gate) enter() {
	defer g.wg.Done()
	<-g.open
}

func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// One after the other, so that they wait for times that differ.
func (g *gate) queue(who func()) {
	for i := 0; i < 6; i++ {
		g.wg.Add(1)
		go who()
		time.Sleep(time.Millisecond)
	}
}

func main() {
	f, _ := os.Create(os.Args[1])
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	trace.Start(f)
	for i := 0; i < 12; i++ {
		g := &gate{open: make(chan bool)}
		g.mu.Lock()
		g.queue(g.pass)
		g.mu.Unlock()
		g.wg.Wait()
		g.queue(g.enter)
		close(g.open)
		g.wg.Wait()
	}
	trace.Stop()
	f.Close()
	for _, n := range []string{"mutex", "block"} {
		p, _ := os.Create(os.Args[2] + "." + n)
		pprof.Lookup(n).WriteTo(p, 1)
		p.Close()
	}
}
