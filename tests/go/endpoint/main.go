// SPDX-License-Identifier: Apache-2.0
// Command endpoint serves lines on a port that it prints: for each it asks the database
// on a port, and computes for so many ms. It records itself until its input ends.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"runtime/trace"
	"strconv"
	"time"
)

type server struct {
	database string
	compute  time.Duration
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func (s *server) work() (sum int) {
	for end := time.Now().Add(s.compute); time.Now().Before(end); sum++ {
	}
	return sum
}

func (s *server) query(database *bufio.ReadWriter) {
	database.WriteString("select\n")
	check(database.Flush())
	_, err := database.ReadString('\n')
	check(err)
}

func both(conn net.Conn) *bufio.ReadWriter {
	return bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn))
}

func (s *server) serve(conn net.Conn) {
	defer conn.Close()
	client := both(conn)
	asked, err := net.Dial("tcp", s.database)
	check(err)
	defer asked.Close()
	database := both(asked)
	for {
		if _, err := client.ReadString('\n'); err != nil {
			return
		}
		s.query(database)
		s.work()
		client.WriteString("done\n")
		check(client.Flush())
	}
}

func (s *server) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go s.serve(conn)
	}
}

func main() {
	ms, err := strconv.Atoi(os.Args[3])
	check(err)
	s := &server{"127.0.0.1:" + os.Args[2], time.Duration(ms) * time.Millisecond}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	file, err := os.Create(os.Args[1])
	check(err)
	check(trace.Start(file))
	go s.accept(listener)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	bufio.NewReader(os.Stdin).ReadString('\n')
	listener.Close()
	trace.Stop()
	check(file.Close())
}
