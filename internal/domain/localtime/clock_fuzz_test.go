package localtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/problem"
)

// A time of day is a minute of one, and shown again it is read as the same.
func FuzzParseClock(f *testing.F) {
	for _, value := range []string{"09:30", "9:30", "24:00", "23:59", "00:00", "-1:00", "", "09:30:00", "٠٩:٣٠", "09:3", " 09:30", "09:60"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		minute, err := localtime.ParseClock(value)
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			return
		}
		require.True(t, minute >= 0 && minute < localtime.MinutesPerDay)
		again, err := localtime.ParseClock(localtime.Clock(minute))
		require.NoError(t, err)
		require.Equal(t, minute, again)
	})
}
