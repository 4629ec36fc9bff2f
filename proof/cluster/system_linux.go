package cluster

import (
	"cmp"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// steer sends new connections to one of the sockets that share an address. The system asks the
// filter for its place, and goes by chance where there is none.
func steer(socket *os.File, place uint32) error {
	filter := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: place}
	raw, err := socket.SyscallConn() // Fd would have whoever accepts on it block
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &unix.SockFprog{Len: 1, Filter: &filter})
	})
	return cmp.Or(failed, err)
}

// orphaned has the system ask a program to end when we were killed, and cannot.
func orphaned(ask syscall.Signal, attributes *syscall.SysProcAttr) *syscall.SysProcAttr {
	attributes.Pdeathsig = ask
	return attributes
}
