// SPDX-License-Identifier: Apache-2.0
// Command waits blocks goroutines in every way and records itself.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) move(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
	spin(200 * time.Microsecond)
}

func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func producer(c chan<- int, n int) {
	for i := 0; i < n; i++ {
		c <- i
	}
	close(c)
}

func consumer(c <-chan int, done chan<- int) {
	sum := 0
	for i := range c {
		sum += i
		if i%10 == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
	done <- sum
}

func main() {
	count := flag.Int("count", 50, "how often")
	profiles := flag.String("profiles", "", "files of profiles begin so")
	flag.Parse()
	f, _ := os.Create(flag.Arg(0))
	if *profiles != "" {
		runtime.SetMutexProfileFraction(1)
		runtime.SetBlockProfileRate(1)
	}
	trace.Start(f)
	var wg sync.WaitGroup
	a := &account{}
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := 0; j < *count; j++ {
				a.move(1)
			}
		}()
	}
	c, done := make(chan int), make(chan int)
	go producer(c, 4**count)
	go consumer(c, done)
	var rw sync.RWMutex
	cond := sync.NewCond(&rw)
	ready := false
	wg.Add(1)
	go func() {
		defer wg.Done()
		rw.Lock()
		for !ready {
			cond.Wait()
		}
		rw.Unlock()
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		wg.Add(1)
		go func() {
			defer wg.Done()
			conn, _ := l.Accept()
			b := make([]byte, 5)
			conn.Read(b)
			conn.Write(b)
			conn.Close()
		}()
		conn, _ := net.Dial("tcp", l.Addr().String())
		time.Sleep(2 * time.Millisecond)
		conn.Write([]byte("hello"))
		b := make([]byte, 5)
		conn.Read(b)
		conn.Close()
	}
	rw.Lock()
	ready = true
	rw.Unlock()
	cond.Broadcast()
	select {
	case s := <-done:
		fmt.Println(s)
	case <-time.After(5 * time.Second):
	}
	runtime.GC()
	wg.Wait()
	trace.Stop()
	f.Close()
	if *profiles != "" {
		for _, n := range []string{"mutex", "block"} {
			p, _ := os.Create(*profiles + "." + n)
			pprof.Lookup(n).WriteTo(p, 1)
			p.Close()
		}
	}
}
