//go:build faults

package node

import (
	"strconv"

	"go.temporal.io/server/common/config"
)

// faultsSeed is set with -ldflags -X.
var faultsSeed string

// withFaults makes some writes of the server report an error, although they succeeded or because they were dropped.
// Only binaries that tests build contain this file.
func withFaults(p config.Persistence) config.Persistence {
	seed, err := strconv.ParseInt(faultsSeed, 10, 64)
	if err != nil {
		panic("a binary with the faults tag needs a seed: " + err.Error())
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
