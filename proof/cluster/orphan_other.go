//go:build !linux

package cluster

import "syscall"

// orphaned changes nothing: only Linux tells a child that its parent was killed.
func orphaned(_ syscall.Signal, attributes *syscall.SysProcAttr) *syscall.SysProcAttr {
	return attributes
}
