// SPDX-License-Identifier: Apache-2.0
// Command hangs leaves goroutines that wait for ever, or for a reason, and records that.
//
//	hangs PROGRAM TRACE
package main

import (
	"fmt"
	"os"
	"runtime/trace"
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
	"never":   selectOfNothing,
	"nil":     receiverFromNil,
	"twenty":  leaksOfOnePlace,
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
	"due":     waiterForADeadline,
	"closed":  workersUntilAClose,
	"parks":   starterThatStays,
	"errors":  groupOfErrors,
	"hedged":  hedgedRequest,
	"serves":  servesRequests,
	"shared":  readersOfOneMap,
	"limits":  limiterOfTicks,
	"pubsub":  subscribersWithoutNews,
	"child":   waitsForAProcess,
}

// afterwards is done when the trace has ended.
var afterwards = func() {}

const moment = 30 * time.Millisecond

// stopsLater ends a program whose other goroutines go on.
func stopsLater(program func()) {
	go program()
	time.Sleep(1100 * time.Millisecond)
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
	afterwards()
	file.Close()
}
