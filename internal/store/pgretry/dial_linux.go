package pgretry

import (
	"cmp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// giveUpSilent bounds how long sent data may stay without an acknowledgement.
func giveUpSilent(network, _ string, socket syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var set error
	failed := socket.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silentFor.Milliseconds()))
	})
	return cmp.Or(failed, set)
}
