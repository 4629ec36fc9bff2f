package node

import (
	"context"
	"fmt"
	"net"
	"time"
)

// checkPorts says which port is taken. Found out later, it would end the process.
func checkPorts(o Options) error {
	for _, port := range []int{o.Port, o.UIPort} {
		if port == 0 {
			continue
		}
		listener, err := net.Listen("tcp", hostPort(o.Host, port))
		if err != nil {
			return fmt.Errorf("port %d on %s cannot be used, it may be taken by another program: %w", port, o.Host, err)
		}
		_ = listener.Close()
	}
	return nil
}

// freePorts finds n ports for the server's insides. All are held until the last is
// found, so that they differ.
func freePorts(host string, n int) ([]int, error) {
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", hostPort(host, 0))
		if err != nil {
			return nil, fmt.Errorf("no free port on %s: %w", host, err)
		}
		defer func() { _ = listener.Close() }()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// awaitListener returns when somebody listens at the address.
func awaitListener(ctx context.Context, address string) error {
	retry := time.NewTicker(2 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-retry.C:
		}
	}
}
