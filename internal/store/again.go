package store

import "context"

// tries are how often a change is begun whose connection was lost: a server that is restarted
// takes all connections at once, and they are found dead one after the other.
const tries = 4

// again has a change done anew that certainly was not done, because its connection was lost. Of one
// that was lost while it was committed nobody knows: that is for the caller to look at.
func again(ctx context.Context, change func() (anew bool, err error)) error {
	for n := 1; ; n++ {
		anew, err := change()
		if !anew || n == tries || ctx.Err() != nil {
			return err
		}
	}
}
