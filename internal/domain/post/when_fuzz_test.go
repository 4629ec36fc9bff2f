package post_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// A time that is taken lies within the year ahead, and shows on the clocks of its zone what was
// asked for. One that the clocks show twice can be told apart by what the refusal says.
func FuzzParseWhen(f *testing.F) {
	for _, value := range []string{
		"", "2026-12-01T09:00:00Z", "2026-12-01T09:00", "2026-12-01 09:00:59", "2027-03-28T02:30", "2027-10-31T02:30", "2027-10-31T02:30:00.5", "2026-12-01T9:00",
		"0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "2026-12-01T09:00:00+99:99", "2026-12-01T24:00", "now", "2026-12-01T09:00:60Z", "2026-12-01T09:00:00.999999999Z",
	} {
		for _, zone := range []string{"", "Europe/Berlin", "Australia/Lord_Howe"} {
			f.Add(value, zone)
		}
	}
	for _, zone := range []string{"Local", "../../etc/passwd", "Mars/Olympus", "UTC\x00", "Europe/../UTC", "europe/berlin", "Factory", "\\"} {
		f.Add("2026-12-01T09:00", zone)
	}
	f.Fuzz(func(t *testing.T, value, zone string) {
		at, err := post.ParseWhen(value, zone, noon)
		if err != nil {
			require.Contains(t, []problem.Code{problem.TimezoneUnknown, problem.DateInvalid, problem.DateAmbiguous, problem.DatePast, problem.DateTooFar}, problem.CodeOf(err))
			require.Zero(t, at)
			tellsApart(t, err)
			return
		}
		require.Equal(t, time.UTC, at.Location())
		require.False(t, at.Before(noon.Add(-time.Minute)) || at.After(noon.Add(366*24*time.Hour)), at)
		again, err := post.ParseWhen(at.Format(time.RFC3339Nano), "", noon)
		require.NoError(t, err)
		require.Equal(t, at, again)
		if where, err := time.LoadLocation(zone); err == nil && len(value) == len("2026-12-01T09:00") {
			require.Equal(t, strings.Replace(value, " ", "T", 1), at.In(where).Format("2006-01-02T15:04"))
		}
	})
}

// tellsApart takes both instants out of the refusal of an ambiguous time, and reads them.
func tellsApart(t *testing.T, err error) {
	t.Helper()
	said, _ := errors.AsType[*problem.Error](err)
	if said.Code != problem.DateAmbiguous {
		return
	}
	require.Len(t, said.Details, 2)
	first, firstErr := time.Parse(time.RFC3339, strings.TrimPrefix(said.Details[0].Reason, "first: "))
	second, secondErr := time.Parse(time.RFC3339, strings.TrimPrefix(said.Details[1].Reason, "second: "))
	require.NoError(t, firstErr)
	require.NoError(t, secondErr)
	require.True(t, first.Before(second))
}
