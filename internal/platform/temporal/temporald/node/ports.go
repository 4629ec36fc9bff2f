package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"
)

// checkPorts says which port is taken. Found out later, it would end the process.
func checkPorts(o Options) error {
	for _, port := range []int{o.Port, o.UIPort} {
		if port == 0 {
			continue
		}
		if err := checkPort(o.Host, port); err != nil {
			return err
		}
	}
	return nil
}

func checkPort(host string, port int) error {
	listener, err := net.Listen("tcp", hostPort(host, port))
	if err != nil {
		return fmt.Errorf("port %d on %s cannot be used, it may be taken by another program: %w", port, host, err)
	}
	return listener.Close()
}

// Ports for the server's insides come in blocks, below those that systems hand to outgoing
// connections (Linux from 32768, others from 49152): one of these may take a port between
// look and bind, which ends the process. The launcher chooses in the same way.
const (
	firstBlock, lastBlock = 20_000, 32_000
	blockSize             = 8
)

// Ports are free ports that no other node is given.
type Ports struct {
	Numbers []int
	guard   net.Listener // on the first port of the block: it keeps others out
}

// ClaimPorts finds n < 8 ports. They are claimed until Release; to bind them is the caller's.
func ClaimPorts(host string, n int) (*Ports, error) {
	var err error
	for range 100 {
		base := firstBlock + blockSize*rand.IntN((lastBlock-firstBlock)/blockSize)
		var p *Ports
		if p, err = claimBlock(host, base, n); err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no free ports on %s: %w", host, err)
}

func claimBlock(host string, base, n int) (*Ports, error) {
	guard, err := net.Listen("tcp", hostPort(host, base))
	if err != nil {
		return nil, err
	}
	p := &Ports{guard: guard}
	for i := range n {
		if err := checkPort(host, base+1+i); err != nil {
			return nil, errors.Join(err, guard.Close())
		}
		p.Numbers = append(p.Numbers, base+1+i)
	}
	return p, nil
}

// Release lets others have the ports.
func (p *Ports) Release() { _ = p.guard.Close() }

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
