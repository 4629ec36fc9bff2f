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

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// codeOf is the code of a problem, or "" without an error.
func codeOf(err error) problem.Code {
	if err == nil {
		return ""
	}
	return problem.CodeOf(err)
}

// Proves: F25
func TestParseWhen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		value, zone string
		at          time.Time
		code        problem.Code
	}{
		"nothing is now":                         {at: noon},
		"RFC 3339 with an offset":                {value: "2026-12-01T09:00:00+01:00", at: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)},
		"a local time in winter":                 {value: "2026-12-01T09:00", zone: "Europe/Berlin", at: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)},
		"a local time in summer":                 {value: "2027-06-01 09:00", zone: "Europe/Berlin", at: time.Date(2027, 6, 1, 7, 0, 0, 0, time.UTC)},
		"without a zone it is UTC":               {value: "2026-12-01T09:00", at: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)},
		"an offset beats the zone":               {value: "2026-12-01T09:00:00Z", zone: "Asia/Tokyo", at: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)},
		"half a minute ago is now enough":        {value: "2026-11-20T11:59:30Z", at: noon.Add(-30 * time.Second)},
		"a leap day":                             {value: "2028-02-29T09:00", code: problem.DateTooFar},
		"two minutes ago":                        {value: "2026-11-20T11:58:00Z", code: problem.DatePast},
		"a date that does not exist":             {value: "2027-02-29T09:00", code: problem.DateInvalid},
		"a local time that the clocks skip":      {value: "2027-03-14T02:30", zone: "America/New_York", code: problem.DateInvalid},
		"an unknown zone":                        {zone: "Mars/Olympus", code: problem.TimezoneUnknown},
		"the machine's own zone is not a person": {zone: "Local", code: problem.TimezoneUnknown},
		"words":                                  {value: "next tuesday", code: problem.DateInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := post.ParseWhen(tt.value, tt.zone, noon)
			require.Equal(t, tt.code, codeOf(err))
			require.Equal(t, tt.at, at)
		})
	}
}

// Proves: F25
func TestAmbiguousLocalTimes(t *testing.T) {
	t.Parallel()
	summer := time.Date(2027, time.August, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		value, zone   string
		first, second string // empty: there is only one
	}{
		"Berlin, in the hour that comes twice":    {"2027-10-31T02:30", "Europe/Berlin", "2027-10-31T02:30:00+02:00", "2027-10-31T02:30:00+01:00"},
		"Berlin, as the hour begins":              {"2027-10-31 02:00:00", "Europe/Berlin", "2027-10-31T02:00:00+02:00", "2027-10-31T02:00:00+01:00"},
		"Berlin, before it":                       {"2027-10-31T01:59", "Europe/Berlin", "", ""},
		"Berlin, after it":                        {"2027-10-31T03:00", "Europe/Berlin", "", ""},
		"Berlin, with an offset":                  {"2027-10-31T02:30:00+01:00", "Europe/Berlin", "", ""},
		"New York":                                {"2027-11-07T01:15", "America/New_York", "2027-11-07T01:15:00-04:00", "2027-11-07T01:15:00-05:00"},
		"Lord Howe, whose clocks change by half":  {"2028-04-02T01:45", "Australia/Lord_Howe", "2028-04-02T01:45:00+11:00", "2028-04-02T01:45:00+10:30"},
		"Lord Howe, in the half hour before that": {"2028-04-02T01:15", "Australia/Lord_Howe", "", ""},
		"UTC never":                               {"2027-10-31T02:30", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := post.ParseWhen(tt.value, tt.zone, summer)
			if tt.first == "" {
				require.NoError(t, err)
				return
			}
			refusal, ok := errors.AsType[*problem.Error](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, problem.DateAmbiguous, refusal.Code)
			require.Equal(t, []problem.Detail{
				{Field: "body.scheduledAt", Reason: "first: " + tt.first}, {Field: "body.scheduledAt", Reason: "second: " + tt.second},
			}, refusal.Details)
			for _, answer := range []string{tt.first, tt.second} {
				require.Contains(t, refusal.Message, answer)
				_, err := post.ParseWhen(answer, tt.zone, summer)
				require.NoError(t, err, "the suggested instants are accepted")
			}
		})
	}
}

// Proves: F25
func TestMonths(t *testing.T) {
	t.Parallel()
	lastSecond := time.Date(2026, 12, 31, 23, 59, 59, 999, time.UTC)
	require.Equal(t, post.Month("2026-12"), post.MonthOf(lastSecond))
	require.Equal(t, post.Month("2027-01"), post.MonthOf(lastSecond.Add(time.Second)))
	tokyo := time.FixedZone("Tokyo", 9*3600)
	require.Equal(t, post.Month("2026-10"), post.MonthOf(time.Date(2026, 11, 1, 3, 0, 0, 0, tokyo)), "months are UTC")
	require.Equal(t, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), post.Month("2026-12").ResetsAt())
	require.Zero(t, post.Month("never").ResetsAt())
}

func TestSharesFillTheMonth(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ members, share, founders int }{
		{0, 500, 500}, {1, 250, 250}, {2, 166, 168}, {50, 9, 50}, {499, 1, 1}, {500, 0, 500},
	} {
		require.Equal(t, tt.share, post.Share(tt.members), tt.members)
		require.Equal(t, tt.founders, post.FoundersShare(tt.members), tt.members)
		require.Equal(t, post.MonthlyPosts, tt.members*tt.share+tt.founders)
	}
}

func TestTimingEndsEveryRequestBeforeReconciliation(t *testing.T) {
	t.Parallel()
	for _, send := range []time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute} {
		timing := post.TimingFor(send)
		require.Less(t, timing.Send, timing.Close)
		require.Less(t, timing.Close, timing.Settle)
		require.Less(t, timing.Settle, timing.Look)
	}
}

func TestBackoffGrowsToFiveMinutes(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2*time.Second, post.Backoff(1))
	require.Equal(t, 4*time.Second, post.Backoff(2))
	require.Equal(t, 5*time.Minute, post.Backoff(1000))
	require.Positive(t, post.Backoff(0))
}

func TestEngagementCountsSharesTwice(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1+2*10+2*100+1000, post.Post{Likes: 1, Reposts: 10, Replies: 100, Quotes: 1000}.Engagement())
}

func TestDueAt(t *testing.T) {
	t.Parallel()
	before, after := noon.Add(-time.Hour), noon.Add(time.Hour)
	require.Equal(t, noon, post.Post{ScheduledAt: noon}.DueAt())
	require.Equal(t, noon, post.Post{ScheduledAt: noon, WaitingUntil: &before}.DueAt())
	require.Equal(t, after, post.Post{ScheduledAt: noon, WaitingUntil: &after}.DueAt())
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, status := range post.Statuses {
		require.False(t, status.Final() && status.Cancellable(), status)
		require.False(t, status.Final() && status.Retryable(), status)
	}
	require.False(t, post.StatusArmed.Cancellable(), "a post that may have been sent is locked")
}

// FuzzParseWhen checks that accepted times are within a year and match the local time, and that an
// ambiguous time is refused with both instants.
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
			requireBothInstants(t, err)
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

// requireBothInstants checks the details of an ambiguous time.
func requireBothInstants(t *testing.T, err error) {
	t.Helper()
	refusal, _ := errors.AsType[*problem.Error](err)
	if refusal.Code != problem.DateAmbiguous {
		return
	}
	require.Len(t, refusal.Details, 2)
	first, firstErr := time.Parse(time.RFC3339, strings.TrimPrefix(refusal.Details[0].Reason, "first: "))
	second, secondErr := time.Parse(time.RFC3339, strings.TrimPrefix(refusal.Details[1].Reason, "second: "))
	require.NoError(t, firstErr)
	require.NoError(t, secondErr)
	require.True(t, first.Before(second))
}
