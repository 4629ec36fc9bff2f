//go:build !faults

package node

import "go.temporal.io/server/common/config"

// doubted is for programs that tests build; see faults.go. In this one nothing can be broken.
func doubted(p config.Persistence) config.Persistence { return p }
