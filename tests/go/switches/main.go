// SPDX-License-Identifier: Apache-2.0

// Command switches has coroutines, which goroutines switch to without the scheduler, and
// threads of C that call into Go: later ones get the goroutines of earlier ones. It
// records itself.
package main

/*
#include <pthread.h>
#include <unistd.h>

extern void fromC(int);

static void *call(void *number) {
    for (int i = 0; i < 20; i++) {
        fromC((int)(long)number);
        usleep(100);
    }
    return NULL;
}

static void callFromThreads(int count) {
    pthread_t threads[16];

    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, call, (void *)(long)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}
*/
import "C"

import (
	"iter"
	"os"
	"runtime/trace"
	"sync"
)

var mutex sync.Mutex
var calls [16]int

//export fromC
func fromC(number C.int) {
	mutex.Lock()
	calls[number]++
	mutex.Unlock()
}

func numbers(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

// sum pulls numbers out of a coroutine, and leaves it in mid-way.
func sum(most int) (total int) {
	next, stop := iter.Pull(iter.Seq[int](numbers))
	defer stop()
	for i := 0; i < most; i++ {
		number, _ := next()
		total += number
	}
	return total
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
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			sum(200)
		}()
	}
	// Those that have ended leave their goroutines to the next ones.
	for i := 0; i < 3; i++ {
		C.callFromThreads(8)
	}
	wg.Wait()
	trace.Stop()
	f.Close()
}
