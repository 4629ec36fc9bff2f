package httpapi

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

func TestEveryProblemHasAStatus(t *testing.T) {
	t.Parallel()
	for _, code := range problem.Codes {
		require.Contains(t, statuses, code)
	}
	require.Len(t, statuses, len(problem.Codes))
}

func TestPollReadsUntilTheRowIsSettled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settledAt int           // the read that finds it settled
		patience  time.Duration // the caller gives up after it
		hungUp    time.Duration // the request ends after it
		wants     int           // the row of the last read
		settled   bool
		err       error
	}{
		"settled at once":       {1, time.Second, time.Minute, 1, true, nil},
		"settled later":         {4, time.Second, time.Minute, 4, true, nil},
		"not settled in time":   {99, 175 * time.Millisecond, time.Minute, 4, false, nil},
		"the request has ended": {99, time.Second, 75 * time.Millisecond, 2, false, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), c.hungUp)
				defer cancel()
				reads := 0
				row, settled, err := Poll(ctx, c.patience, func() (int, bool, error) {
					reads++
					return reads, reads >= c.settledAt, nil
				})
				require.Equal(t, c.wants, row)
				require.Equal(t, c.settled, settled)
				require.ErrorIs(t, err, c.err)
			})
		})
	}
}

// plainMarks marks a value with its place.
type plainMarks struct{}

func (plainMarks) Mark(value, place string) string       { return place + " " + value }
func (plainMarks) Marked(mark, value, place string) bool { return mark == place+" "+value }

func TestFoundersCountOnlyOverall(t *testing.T) {
	t.Parallel()
	for role, counted := range map[account.Role]string{
		account.Visitor: "visitor 127.0.0.1", account.Member: "visitor 127.0.0.1", account.Founder: "",
	} {
		require.Equal(t, counted, Caller{Role: role, Address: "127.0.0.1"}.CountedFor(plainMarks{}), role)
	}
}
