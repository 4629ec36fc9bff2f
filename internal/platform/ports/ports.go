// Package ports finds free ports for child processes and for servers that restart on the same port. A listener
// in this process can use port 0.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Free returns preferred if it is free on host, else another free port. With preferred 0, no other call in any
// process returns the same port while this process runs. The port is not reserved against other programs.
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

// Address returns a free loopback address as host:port.
func Address() (string, error) {
	port, err := Free("127.0.0.1", 0)
	return HostPort("127.0.0.1", port), err
}

func free(host string, port int) bool {
	listener, err := net.Listen("tcp", HostPort(host, port))
	return err == nil && listener.Close() == nil
}

// Ports come in blocks below the ephemeral ports (Linux from 32768, others from 49152), because an outgoing
// connection could take one before it is used. temporald chooses its internal ports in the same way.
const (
	firstBlock, lastBlock = 20_000, 32_000
	blockSize             = 8
)

// claims are the blocks of this process. It listens on the first port of each block, which keeps other
// processes out of the block.
type claims struct {
	mu     sync.Mutex
	guards []net.Listener
}

var claimed claims

// add claims a block and returns one of its ports.
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
		err = fmt.Errorf("port %d is in use", base+1)
		_ = guard.Close()
	}
	return 0, err
}

// HostPort joins an address for net.Listen and net.Dial.
func HostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
