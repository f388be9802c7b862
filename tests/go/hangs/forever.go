// SPDX-License-Identifier: Apache-2.0

// Programs whose goroutines wait for ever.

package main

import (
	"sync"
	"time"
)

var (
	shelf, desk sync.Mutex
	library     sync.RWMutex
)

func read() {
	library.RLock()
	defer library.RUnlock()
}

// reader has the lock and asks for it again behind a writer, who waits for reader.
func reader() {
	library.RLock()
	defer library.RUnlock()
	time.Sleep(3 * moment)
	read()
}

func writer() {
	time.Sleep(moment)
	library.Lock()
	defer library.Unlock()
}

func late() {
	time.Sleep(4 * moment)
	read()
}

func readerBehindWriter() {
	go reader()
	go writer()
	go late()
	go late()
	time.Sleep(12 * moment)
}

func locks(first, second *sync.Mutex) {
	first.Lock()
	defer first.Unlock()
	time.Sleep(moment)
	second.Lock()
	defer second.Unlock()
}

func twoOrders() {
	go locks(&shelf, &desk)
	go locks(&desk, &shelf)
	time.Sleep(10 * moment)
}

// ask gives up after a moment; whoever answers later sends to nobody.
func ask(work time.Duration) {
	answer := make(chan int)
	go func() {
		time.Sleep(work)
		answer <- 1
	}()
	select {
	case <-answer:
	case <-time.After(moment):
	}
}

func sendersOfLateAnswers() {
	for i := 0; i < 8; i++ {
		ask(time.Duration(i%2) * 2 * moment)
	}
	time.Sleep(10 * moment)
}

func senderThatIsLeftAlone() {
	ask(2 * moment)
	time.Sleep(moment + 100*time.Millisecond)
}

func receive(from chan int) {
	<-from
}

func startReceiver() {
	go receive(make(chan int))
}

func receiverOfNothing() {
	for i := 0; i < 3; i++ {
		startReceiver()
		time.Sleep(moment)
	}
	time.Sleep(10 * moment)
}

func lockTwice() {
	go func() {
		shelf.Lock()
		shelf.Lock()
	}()
	time.Sleep(10 * moment)
}

func awaitGroup(group *sync.WaitGroup) {
	group.Wait()
}

func groupThatIsShort() {
	group := &sync.WaitGroup{}
	group.Add(2)
	go awaitGroup(group)
	go group.Done()
	time.Sleep(10 * moment)
}

func produce(to chan<- int) {
	for i := 0; ; i++ {
		to <- i
	}
}

func consumeTwo(from <-chan int) {
	for i := 0; i < 2; i++ {
		time.Sleep(moment)
		<-from
	}
}

func consumerThatReturnsEarly() {
	numbers := make(chan int)
	go produce(numbers)
	go consumeTwo(numbers)
	time.Sleep(15 * moment)
}

func awaitCondition(condition *sync.Cond) {
	condition.L.Lock()
	defer condition.L.Unlock()
	condition.Wait()
}

func signalBeforeItsWait() {
	condition := sync.NewCond(&sync.Mutex{})
	go condition.Signal()
	time.Sleep(moment)
	go awaitCondition(condition)
	time.Sleep(10 * moment)
}

func stay() {
	select {}
}

// Others go on beside a goroutine that nothing can end.
func selectOfNothing() {
	go stay()
	stopsLater(tickerOfNothing)
}

func receiverFromNil() {
	var none chan int
	go receive(none)
	stopsLater(tickerOfNothing)
}

// first gives up on all answers but one.
func first() {
	asked := make(chan int)
	done := make(chan int)
	go func() {
		done <- <-asked
	}()
	select {
	case <-done:
	case <-time.After(time.Millisecond):
	}
}

func leaksOfOnePlace() {
	for i := 0; i < 20; i++ {
		first()
	}
	time.Sleep(10 * moment)
}
