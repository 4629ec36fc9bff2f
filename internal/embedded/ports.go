package embedded

import (
	"fmt"
	"net"
	"strconv"
)

// FreePort returns preferred if it is free on host, else a port that is. With preferred 0 it
// returns any free one. The port is not held: whoever wants it should take it soon.
func FreePort(host string, preferred int) (int, error) {
	listener, err := net.Listen("tcp", hostPort(host, preferred))
	if err != nil && preferred != 0 {
		listener, err = net.Listen("tcp", hostPort(host, 0))
	}
	if err != nil {
		return 0, fmt.Errorf("no free port on %s: %w", host, err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

func hostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
