//go:build !linux

package cluster

import "syscall"

// endWithParent changes nothing: only Linux signals a child when its parent was killed.
func endWithParent(_ syscall.Signal, attributes *syscall.SysProcAttr) *syscall.SysProcAttr {
	return attributes
}
