package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/post"
	"customerzero/internal/problem"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

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
		"a zone nobody knows":                    {zone: "Mars/Olympus", code: problem.TimezoneUnknown},
		"the machine's own zone is not a person": {zone: "Local", code: problem.TimezoneUnknown},
		"words":                                  {value: "next tuesday", code: problem.DateInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, err := post.ParseWhen(tt.value, tt.zone, noon)
			if tt.code != "" {
				require.Equal(t, tt.code, problem.CodeOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.at, at)
		})
	}
}

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

func TestSharesAndCommonsFillTheMonth(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ members, share, commons int }{
		{0, 500, 500}, {1, 250, 250}, {2, 166, 168}, {50, 9, 50}, {499, 1, 1}, {500, 0, 500},
	} {
		require.Equal(t, tt.share, post.Share(tt.members), tt.members)
		require.Equal(t, tt.commons, post.Commons(tt.members), tt.members)
		require.Equal(t, post.MonthlyPosts, tt.members*tt.share+tt.commons)
	}
}

func TestTimingLeavesNoCallUnderWayWhenWeLook(t *testing.T) {
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

func TestDueIsTheLaterOfItsTimeAndWhatXAsked(t *testing.T) {
	t.Parallel()

	before, after := noon.Add(-time.Hour), noon.Add(time.Hour)
	require.Equal(t, noon, post.Post{ScheduledAt: noon}.DueAt())
	require.Equal(t, noon, post.Post{ScheduledAt: noon, WaitingUntil: &before}.DueAt())
	require.Equal(t, after, post.Post{ScheduledAt: noon, WaitingUntil: &after}.DueAt())
}

func TestStatuses(t *testing.T) {
	t.Parallel()

	for _, status := range post.Statuses {
		parsed, ok := post.ParseStatus(string(status))
		require.True(t, ok)
		require.Equal(t, status, parsed)
		require.False(t, status.Final() && status.Cancellable(), status)
		require.False(t, status.Final() && status.Retryable(), status)
	}
	_, ok := post.ParseStatus("lost")
	require.False(t, ok)
	require.False(t, post.StatusArmed.Cancellable(), "nobody changes what may be on its way")
}
