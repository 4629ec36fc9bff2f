//go:build faults

package node

import (
	"strconv"

	"go.temporal.io/server/common/config"
)

// faultsSeed is set by whoever links the program.
var faultsSeed string

// doubted has the server be told now and then that it could not write what it has written, or
// what it has not. Only programs that tests build for themselves are made of this file.
func doubted(p config.Persistence) config.Persistence {
	seed, err := strconv.ParseInt(faultsSeed, 10, 64)
	if err != nil {
		panic("a program that was built with faults needs a seed: " + err.Error())
	}
	faults := &config.FaultInjection{}
	for i, method := range []string{"CreateWorkflowExecution", "UpdateWorkflowExecution", "AppendHistoryNodes"} {
		faults = faults.
			WithError(config.ExecutionStoreName, method, "ExecuteAndTimeout", 0.05).
			WithError(config.ExecutionStoreName, method, "Timeout", 0.02).
			WithMethodSeed(config.ExecutionStoreName, method, seed+int64(i))
	}
	main := p.DataStores[storeName]
	main.FaultInjection = faults
	p.DataStores[storeName] = main
	return p
}
