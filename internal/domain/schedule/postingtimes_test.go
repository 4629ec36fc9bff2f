package schedule_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

var monday = time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC)

func at(hour, minute int) time.Time {
	return monday.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

func TestNext(t *testing.T) {
	t.Parallel()
	usual := schedule.DefaultPostingTimes("")
	noGap := schedule.DefaultPostingTimes("")
	noGap.MinGapMinutes = 0
	moved := schedule.PostingTimes{ // 02:30 is moved to 03:00 in spring, which is in the quiet hours
		Timezone: "Europe/Berlin", Weekly: []schedule.LocalTime{{Weekday: 7, Minute: 150}}, QuietFrom: 180, QuietTo: 240,
	}
	spring := time.Date(2027, time.March, 27, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		table schedule.PostingTimes
		after time.Time
		taken []time.Time
		want  time.Time
	}{
		"the first of the day":                   {usual, monday, nil, at(9, 0)},
		"strictly after":                         {usual, at(9, 0), nil, at(12, 30)},
		"over the weekend":                       {usual, at(4*24+17, 0), nil, at(7*24+9, 0)},
		"a taken time is left out":               {usual, monday, []time.Time{at(9, 0)}, at(12, 30)},
		"a minute inside the gap after":          {usual, monday, []time.Time{at(9, 59)}, at(12, 30)},
		"a minute inside the gap before":         {usual, monday, []time.Time{at(8, 1)}, at(12, 30)},
		"the gap itself is enough":               {usual, monday, []time.Time{at(10, 0), at(8, 0)}, at(9, 0)},
		"without a gap the same time is taken":   {noGap, monday, []time.Time{at(9, 0)}, at(12, 30)},
		"without a gap a minute is enough":       {noGap, monday, []time.Time{at(9, 1)}, at(9, 0)},
		"a moved time in the quiet hours is not": {moved, spring, nil, time.Date(2027, time.April, 4, 0, 30, 0, 0, time.UTC)},
	} {
		t.Run(name, func(t *testing.T) {
			found, ok := tt.table.Next(tt.after, tt.after.Add(schedule.Horizon), tt.taken)
			require.True(t, ok)
			require.Equal(t, tt.want, found)
		})
	}
	_, ok := usual.Next(at(9, 0), at(12, 30), nil)
	require.False(t, ok, "the horizon is not included")
	_, ok = schedule.PostingTimes{Timezone: "UTC"}.Next(monday, at(9999, 0), nil)
	require.False(t, ok, "no times, no queue")
}

func TestPostingTimesCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(*schedule.PostingTimes)
		code    problem.Code
		details int
	}{
		"the usual one fits":                 {func(*schedule.PostingTimes) {}, "", 0},
		"no times at all fits":               {func(t *schedule.PostingTimes) { t.Weekly = nil }, "", 0},
		"a time as the quiet hours end fits": {func(t *schedule.PostingTimes) { t.QuietTo = 9 * 60 }, "", 0},
		"no quiet hours fits":                {func(t *schedule.PostingTimes) { t.QuietFrom, t.QuietTo = 540, 540 }, "", 0},
		"times in the quiet hours":           {func(t *schedule.PostingTimes) { t.QuietTo = 9*60 + 1 }, problem.Invalid, 5},
		"times in quiet hours of one day":    {func(t *schedule.PostingTimes) { t.QuietFrom, t.QuietTo = 540, 751 }, problem.Invalid, 10},
		"a time as the quiet hours begin":    {func(t *schedule.PostingTimes) { t.QuietFrom = 17 * 60 }, problem.Invalid, 5},
		"an unknown time zone":               {func(t *schedule.PostingTimes) { t.Timezone = "Mars/Olympus" }, problem.TimezoneUnknown, 0},
		"a time twice":                       {func(t *schedule.PostingTimes) { t.Weekly = append(t.Weekly, t.Weekly[0]) }, problem.Invalid, 0},
		"too many times":                     {func(t *schedule.PostingTimes) { t.Weekly = make([]schedule.LocalTime, 101) }, problem.Invalid, 0},
	} {
		t.Run(name, func(t *testing.T) {
			table := schedule.DefaultPostingTimes("")
			tt.change(&table)
			err := table.Check()
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			var refusal *problem.Error
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, tt.code, refusal.Code)
			require.Len(t, refusal.Details, tt.details)
		})
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	usual := schedule.DefaultPostingTimes("")
	codes := func(hints []schedule.Hint) []string {
		var all []string
		for _, hint := range hints {
			all = append(all, hint.Code)
		}
		return all
	}
	require.Empty(t, usual.Hints(at(11, 0), []time.Time{at(10, 0)}))
	require.Equal(t, []string{"min_gap"}, codes(usual.Hints(at(11, 0), []time.Time{at(10, 1)})))
	require.Equal(t, []string{"quiet_hours"}, codes(usual.Hints(at(23, 0), nil)))
	require.Equal(t, []string{"quiet_hours", "min_gap"}, codes(usual.Hints(at(6, 59), []time.Time{at(6, 30)})))
	require.Empty(t, usual.Hints(at(7, 0), nil))
}
