//go:build !faults

package node

import "go.temporal.io/server/common/config"

// withFaults changes nothing without the faults tag; see faults.go.
func withFaults(p config.Persistence) config.Persistence { return p }
