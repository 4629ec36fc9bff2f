// Package workercomponent adds nothing to the server's own workers: there is no scaling group to control.
package workercomponent

import "go.uber.org/fx"

// Module is empty.
var Module = fx.Options()
