// SPDX-License-Identifier: Apache-2.0
// Command hangs leaves goroutines that wait for ever, or for a reason, and records that.
//
//	hangs PROGRAM TRACE
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime/trace"
	"sync"
	"time"
)

// Each program returns when its trace is to end.
var programs = map[string]func(){
	// Goroutines that wait for ever.
	"reader":  readerBehindWriter,
	"orders":  twoOrders,
	"senders": sendersOfLateAnswers,
	"soon":    senderThatIsLeftAlone,
	"receive": receiverOfNothing,
	"twice":   lockTwice,
	"group":   groupThatIsShort,
	"early":   consumerThatReturnsEarly,
	"signal":  signalBeforeItsWait,
	// Goroutines that wait for a reason.
	"wait":    mainWaitsForItsWorkers,
	"notify":  mainWaitsForASignal,
	"select":  selectWithATimer,
	"accept":  acceptsConnections,
	"workers": workersWithoutWork,
	"crowd":   moreWorkersThanWork,
	"done":    cancelledAtShutdown,
	"slow":    slowConsumer,
	"holder":  holderThatSleeps,
	"ticker":  tickerOfNothing,
	"result":  mainWaitsForAResult,
	"pool":    usersOfOnePermit,
	"steps":   stepsBySteps,
	"period":  workOfEachTick,
	"cond":    waitersOfABroadcast,
}

const moment = 30 * time.Millisecond

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

func receiverOfNothing() {
	for i := 0; i < 3; i++ {
		go receive(make(chan int))
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

// stopsLater ends a program whose other goroutines go on.
func stopsLater(program func()) {
	go program()
	time.Sleep(1100 * time.Millisecond)
}

func mainWaitsForItsWorkers() {
	stopsLater(func() {
		var group sync.WaitGroup
		for i := 0; i < 3; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				time.Sleep(time.Minute)
			}()
		}
		group.Wait()
	})
}

func mainWaitsForASignal() {
	stopsLater(func() {
		interrupts := make(chan os.Signal, 1)
		signal.Notify(interrupts, os.Interrupt)
		<-interrupts
	})
}

func selectWithATimer() {
	stopsLater(func() {
		never := make(chan int)
		select {
		case <-never:
		case <-time.After(time.Minute):
		}
	})
}

func acceptsConnections() {
	stopsLater(func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		listener.Accept()
	})
}

func work(jobs <-chan int) {
	for range jobs {
		time.Sleep(time.Millisecond)
	}
}

func workersWithoutWork() {
	jobs := make(chan int)
	for i := 0; i < 4; i++ {
		go work(jobs)
	}
	for i := 0; i < 20; i++ {
		jobs <- i
		time.Sleep(time.Millisecond)
	}
	time.Sleep(1100 * time.Millisecond)
}

func moreWorkersThanWork() {
	jobs := make(chan int)
	for i := 0; i < 8; i++ {
		go work(jobs)
	}
	time.Sleep(moment)
	jobs <- 1
	jobs <- 2
	time.Sleep(1100 * time.Millisecond)
}

func untilCancelled(done <-chan struct{}) {
	<-done
}

func cancelledAtShutdown() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go untilCancelled(ctx.Done())
	stopsLater(acceptsConnections)
}

func slowConsumer() {
	stopsLater(func() {
		numbers := make(chan int)
		go produce(numbers)
		for {
			<-numbers
			time.Sleep(400 * time.Millisecond)
		}
	})
}

func holderThatSleeps() {
	stopsLater(func() {
		go func() {
			shelf.Lock()
			defer shelf.Unlock()
			time.Sleep(time.Minute)
		}()
		time.Sleep(moment)
		shelf.Lock()
		defer shelf.Unlock()
	})
}

func tickerOfNothing() {
	stopsLater(func() {
		for range time.NewTicker(100 * time.Millisecond).C {
		}
	})
}

func mainWaitsForAResult() {
	stopsLater(func() {
		result := make(chan int)
		go func() {
			time.Sleep(time.Minute)
			result <- 1
		}()
		<-result
	})
}

func main() {
	program := programs[os.Args[1]]
	file, err := os.Create(os.Args[2])
	if program == nil || err != nil {
		fmt.Fprintln(os.Stderr, "hangs PROGRAM TRACE", err)
		os.Exit(2)
	}
	if err := trace.Start(file); err != nil {
		panic(err)
	}
	program()
	trace.Stop()
	file.Close()
}

func usersOfOnePermit() {
	permits := make(chan struct{}, 1)
	for i := 0; i < 3; i++ {
		go func() {
			for {
				permits <- struct{}{}
				time.Sleep(moment)
				<-permits
			}
		}()
	}
	time.Sleep(1100 * time.Millisecond)
}

func stepsBySteps() {
	there, back := make(chan int), make(chan int)
	go func() {
		for i := range there {
			back <- i
		}
	}()
	for i := 0; i < 200; i++ {
		there <- i
		<-back
		time.Sleep(time.Millisecond)
	}
}

func workOfEachTick() {
	work := make(chan time.Time)
	go func() {
		for tick := range time.Tick(moment) {
			work <- tick
		}
	}()
	go func() {
		for range work {
		}
	}()
	time.Sleep(1100 * time.Millisecond)
}

func waitersOfABroadcast() {
	condition := sync.NewCond(&sync.Mutex{})
	for i := 0; i < 2; i++ {
		go func() {
			condition.L.Lock()
			for {
				condition.Wait()
			}
		}()
	}
	for i := 0; i < 30; i++ {
		time.Sleep(moment)
		condition.Broadcast()
	}
}
