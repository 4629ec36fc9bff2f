//go:build !linux

package cluster

import (
	"os"
	"syscall"
)

// steer does nothing: here a proxy that is restarted may lose a connection.
func steer(*os.File, uint32) error { return nil }

// orphaned changes nothing: only Linux tells a child that its parent was killed.
func orphaned(_ syscall.Signal, attributes *syscall.SysProcAttr) *syscall.SysProcAttr {
	return attributes
}
