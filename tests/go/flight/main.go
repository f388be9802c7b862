// SPDX-License-Identifier: Apache-2.0
// Command flight keeps Go's flight recorder on while two goroutines fight for a mutex, and
// writes two snapshots, as a service does that noticed a slow request.
package main

import (
	"os"
	"runtime/trace"
	"sync"
	"time"
)

var mu sync.Mutex

// Until there is work for a second generation, so that what is kept has a whole one.
func work(until time.Time, wg *sync.WaitGroup) {
	defer wg.Done()
	for time.Now().Before(until) {
		mu.Lock()
		time.Sleep(time.Millisecond)
		mu.Unlock()
	}
}

func main() {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 500 * time.Millisecond})
	if err := recorder.Start(); err != nil {
		panic(err)
	}
	for _, path := range os.Args[1:] {
		var wg sync.WaitGroup
		until := time.Now().Add(1500 * time.Millisecond)
		wg.Add(2)
		go work(until, &wg)
		go work(until, &wg)
		wg.Wait()
		f, err := os.Create(path)
		if err != nil {
			panic(err)
		}
		if _, err := recorder.WriteTo(f); err != nil {
			panic(err)
		}
		f.Close()
	}
	recorder.Stop()
}
