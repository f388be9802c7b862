// SPDX-License-Identifier: Apache-2.0

// Programs whose goroutines wait for a reason.

package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"time"
)

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

func waiterForADeadline() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	afterwards = cancel
	go untilCancelled(ctx.Done())
	time.Sleep(40 * moment)
}

func workersUntilAClose() {
	quit := make(chan struct{})
	afterwards = func() { close(quit) }
	for i := 0; i < 3; i++ {
		go untilCancelled(quit)
	}
	time.Sleep(40 * moment)
}

func starterThatStays() {
	go func() {
		go tickerOfNothing()
		stay()
	}()
	time.Sleep(40 * moment)
}

// Each of a group does its part; one waits for all of them.
func groupOfErrors() {
	var group sync.WaitGroup
	failed := make(chan error, 4)
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			time.Sleep(time.Duration(i) * moment)
			failed <- nil
		}()
	}
	go func() {
		group.Wait()
		close(failed)
	}()
	for range failed {
	}
	time.Sleep(5 * moment)
}

// The slower of two answers goes into a channel that has room for it.
func hedgedRequest() {
	for i := 0; i < 5; i++ {
		answers := make(chan int, 2)
		for k := 1; k <= 2; k++ {
			go func() {
				time.Sleep(time.Duration(k) * moment)
				answers <- k
			}()
		}
		<-answers
	}
	time.Sleep(5 * moment)
}

func servesRequests() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				request := make([]byte, 1)
				for {
					if _, err := connection.Read(request); err != nil {
						return
					}
					connection.Write(request)
				}
			}()
		}
	}()
	kept, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	for i := 0; i < 10; i++ {
		kept.Write([]byte{1})
		kept.Read(make([]byte, 1))
		time.Sleep(moment)
	}
	time.Sleep(1100 * time.Millisecond)
}

func readersOfOneMap() {
	for i := 0; i < 3; i++ {
		go func() {
			for {
				read()
				time.Sleep(moment)
			}
		}()
	}
	for i := 0; i < 20; i++ {
		library.Lock()
		time.Sleep(time.Millisecond)
		library.Unlock()
		time.Sleep(2 * moment)
	}
}

// A limiter gives a token at each tick, and none waits for it in the end.
func limiterOfTicks() {
	tokens := make(chan struct{}, 1)
	go func() {
		for range time.Tick(moment) {
			select {
			case tokens <- struct{}{}:
			default:
			}
		}
	}()
	for i := 0; i < 10; i++ {
		<-tokens
	}
	time.Sleep(1100 * time.Millisecond)
}

func subscribersWithoutNews() {
	news := make([]chan int, 4)
	for i := range news {
		news[i] = make(chan int)
		go work(news[i])
	}
	for i := 0; i < 3; i++ {
		for _, to := range news {
			to <- i
		}
		time.Sleep(moment)
	}
	time.Sleep(1100 * time.Millisecond)
}

func waitsForAProcess() {
	stopsLater(func() {
		child := exec.Command("cat")
		// It ends with this program.
		if _, err := child.StdinPipe(); err != nil {
			panic(err)
		}
		child.Run()
	})
}
