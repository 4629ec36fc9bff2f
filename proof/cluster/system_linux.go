package cluster

import "syscall"

// endWithParent lets the kernel signal a child when its parent was killed.
func endWithParent(signal syscall.Signal, attributes *syscall.SysProcAttr) *syscall.SysProcAttr {
	attributes.Pdeathsig = signal
	return attributes
}
