// Package workercomponent adds no components to the server's workers.
package workercomponent

import "go.uber.org/fx"

// Module is empty.
var Module = fx.Options()
