// SPDX-License-Identifier: Apache-2.0
// Command served has goroutines queue for a mutex that main keeps, serves its pprof
// endpoint on a port that it prints, and ends when a line is read.
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"sync"
	"time"
)

var mutex sync.Mutex

func queue() {
	mutex.Lock()
	mutex.Unlock()
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	mutex.Lock()
	for i := 0; i < 3; i++ {
		go queue()
	}
	time.Sleep(100 * time.Millisecond)
	go http.Serve(listener, nil)
	fmt.Println(listener.Addr())
	bufio.NewReader(os.Stdin).ReadString('\n')
}
