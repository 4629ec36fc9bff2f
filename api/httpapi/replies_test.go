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

func TestCallersAsLimitsCountThem(t *testing.T) {
	t.Parallel()
	memberID := "m"
	login := &account.Login{Account: account.Account{MemberID: &memberID}}
	for name, tt := range map[string]struct {
		caller Caller
		want   account.Asker
	}{
		"a visitor":             {Caller{}, account.Asker{Visitor: "visitor 127.0.0.1"}},
		"a visitor with cookie": {Caller{Counted: "token", DeviceID: "d"}, account.Asker{Visitor: "visitor token", Browser: "d"}},
		"a member":              {Caller{Role: account.Member, Login: login}, account.Asker{Member: "m", Visitor: "visitor 127.0.0.1"}},
		"a frozen member":       {Caller{Login: login}, account.Asker{Visitor: "visitor 127.0.0.1"}},
		"a founder":             {Caller{Role: account.Founder, Login: login}, account.Asker{Founder: true, Visitor: "visitor 127.0.0.1"}},
	} {
		tt.caller.Networks, tt.want.Networks = []string{"127.0.0.1"}, []string{"visitor 127.0.0.1"}
		require.Equal(t, tt.want, tt.caller.Asker(plainMarks{}), name)
	}
}
