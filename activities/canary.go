package activities

import "context"

// Canary holds the activity that proves that workers work.
type Canary struct{ Database Pinger }

// Pinger answers when it is well. *store.DB implements it.
type Pinger interface {
	Ping(ctx context.Context) error
}

type RunCanaryInput struct{}

// Done is the result of an activity that has nothing to say.
type Done struct{}

// Sing answers when the worker can reach the database.
func (a *Canary) RunCanary(ctx context.Context, _ RunCanaryInput) (Done, error) {
	return Done{}, a.Database.Ping(ctx)
}
