// SPDX-License-Identifier: Apache-2.0

// Goroutines that wait for something each before the trace begins, and longer than it.
package main

import (
	"log"
	"net"
	"os"
	"runtime/trace"
	"sync"
	"time"
)

func sleeps()                { time.Sleep(time.Hour) }
func receives(c chan int)    { <-c }
func locks(mu *sync.Mutex)   { mu.Lock() }
func accepts(l net.Listener) { _, _ = l.Accept() }

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	var mu sync.Mutex
	mu.Lock()
	go sleeps()
	go receives(make(chan int))
	go locks(&mu)
	go accepts(listener)
	time.Sleep(200 * time.Millisecond)
	file, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		log.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	trace.Stop()
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}
