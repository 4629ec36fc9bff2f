package pgretry

import (
	"net"
	"time"
)

const (
	// connectWithin is how long a server may take to greet us.
	connectWithin = 5 * time.Second
	// silentFor is how long a server may acknowledge nothing that we send before the connection
	// is given up: a machine that is gone says nothing, and the system would wait a quarter of an hour.
	silentFor = 30 * time.Second
)

var dialer = net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	Control:         giveUpSilent,
}
