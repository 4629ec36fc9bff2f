package supervisor

import (
	"context"
	"time"

	"customerzero/internal/domain/target"
)

// inspectTime bounds a look. It is longer than a snapshot takes, for which it may have to wait.
const inspectTime = 2 * time.Second

// Inspect looks at the cell. Callers that come while somebody looks share what is seen.
func (k *Keeper) Inspect() target.Inspection {
	seen, _, _ := k.looks.Do("", func() (any, error) { return k.look(), nil })
	return seen.(target.Inspection)
}

func (k *Keeper) look() target.Inspection {
	ctx, cancel := context.WithTimeout(context.Background(), inspectTime)
	defer cancel()
	seen := target.Inspection{At: time.Now().UTC()}
	if err := k.database.Sound(ctx); err != nil {
		seen.Database = err.Error()
	}
	seen.Files = k.files.Differing(k.files.names()...)
	seen.Process = k.process.State()
	if held := k.leases.current(); held != nil {
		seen.Lease = &held.Lease
	}
	return seen
}
