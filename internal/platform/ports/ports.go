// Package ports finds ports for servers that somebody else starts, or that must come back at the
// same one. Who listens themselves needs none of it: port 0 does.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Free returns preferred if it is free on host, else a port that is. With preferred 0 it
// returns any free one, which no other call here, in any process, is given while this
// process lives. The port itself is not held: whoever wants it should take it soon.
func Free(host string, preferred int) (int, error) {
	if preferred != 0 && free(host, preferred) {
		return preferred, nil
	}
	port, err := claimed.add(host)
	if err != nil {
		return 0, fmt.Errorf("no free port on %s: %w", host, err)
	}
	return port, nil
}

// Address is a free port of this machine alone, as host:port.
func Address() (string, error) {
	port, err := Free("127.0.0.1", 0)
	return HostPort("127.0.0.1", port), err
}

func free(host string, port int) bool {
	listener, err := net.Listen("tcp", HostPort(host, port))
	return err == nil && listener.Close() == nil
}

// Ports come in blocks, below those that systems hand to outgoing connections (Linux from
// 32768, others from 49152), which could take one between its choice and its use. temporald
// chooses for its insides in the same way.
const (
	firstBlock, lastBlock = 20_000, 32_000
	blockSize             = 8
)

// claims are the blocks of this process. The first port of a block is listened to for as
// long as the process lives: that is what keeps others out of the block.
type claims struct {
	mu     sync.Mutex
	guards []net.Listener
}

var claimed claims

// add claims a block, and returns a port of it.
func (c *claims) add(host string) (port int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range 100 {
		base := firstBlock + blockSize*rand.IntN((lastBlock-firstBlock)/blockSize)
		var guard net.Listener
		if guard, err = net.Listen("tcp", HostPort(host, base)); err != nil {
			continue
		}
		if free(host, base+1) {
			c.guards = append(c.guards, guard)
			return base + 1, nil
		}
		err = fmt.Errorf("port %d is taken", base+1)
		_ = guard.Close()
	}
	return 0, err
}

// HostPort joins what net.Listen and net.Dial take.
func HostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
