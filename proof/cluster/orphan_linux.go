package cluster

import "syscall"

// orphaned has the system ask a program to end when we were killed, and cannot.
func orphaned(ask syscall.Signal, attributes *syscall.SysProcAttr) *syscall.SysProcAttr {
	attributes.Pdeathsig = ask
	return attributes
}
