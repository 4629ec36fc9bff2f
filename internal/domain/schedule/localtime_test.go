package schedule_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	found, err := schedule.Zone(name)
	require.NoError(t, err)
	return found
}

func instants(t *testing.T, values ...string) []time.Time {
	t.Helper()
	all := make([]time.Time, len(values))
	for i, value := range values {
		at, err := time.Parse(time.RFC3339, value)
		require.NoError(t, err)
		all[i] = at.UTC()
	}
	return all
}

// daily returns these times for every day.
func daily(minutes ...int) []schedule.LocalTime {
	var times []schedule.LocalTime
	for day := 1; day <= 7; day++ {
		for _, minute := range minutes {
			times = append(times, schedule.LocalTime{Weekday: day, Minute: minute})
		}
	}
	return times
}

// Proves: F25
func TestWeeklyTimesAcrossClockChanges(t *testing.T) {
	t.Parallel()
	const half3, eleven = 2*60 + 30, 11 * 60
	for name, tt := range map[string]struct {
		zone     string
		times    []schedule.LocalTime
		from, to string
		want     []string
	}{
		"the time of day stays in spring in Berlin": {
			"Europe/Berlin", daily(eleven), "2027-03-27T00:00:00+01:00", "2027-03-30T00:00:00+02:00",
			[]string{"2027-03-27T11:00:00+01:00", "2027-03-28T11:00:00+02:00", "2027-03-29T11:00:00+02:00"},
		},
		"the time of day stays in autumn in Berlin": {
			"Europe/Berlin", daily(eleven), "2026-10-24T00:00:00+02:00", "2026-10-27T00:00:00+01:00",
			[]string{"2026-10-24T11:00:00+02:00", "2026-10-25T11:00:00+01:00", "2026-10-26T11:00:00+01:00"},
		},
		"a skipped time in Berlin is the first after the gap": {
			"Europe/Berlin", daily(half3), "2027-03-27T00:00:00+01:00", "2027-03-30T00:00:00+02:00",
			[]string{"2027-03-27T02:30:00+01:00", "2027-03-28T03:00:00+02:00", "2027-03-29T02:30:00+02:00"},
		},
		"a time shown twice in Berlin is the first of the two": {
			"Europe/Berlin", daily(half3), "2026-10-24T00:00:00+02:00", "2026-10-27T00:00:00+01:00",
			[]string{"2026-10-24T02:30:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		},
		"the time of day stays in spring in New York": {
			"America/New_York", daily(eleven), "2027-03-13T00:00:00-05:00", "2027-03-16T00:00:00-04:00",
			[]string{"2027-03-13T11:00:00-05:00", "2027-03-14T11:00:00-04:00", "2027-03-15T11:00:00-04:00"},
		},
		"the time of day stays in autumn in New York": {
			"America/New_York", daily(eleven), "2026-10-31T00:00:00-04:00", "2026-11-03T00:00:00-05:00",
			[]string{"2026-10-31T11:00:00-04:00", "2026-11-01T11:00:00-05:00", "2026-11-02T11:00:00-05:00"},
		},
		"a skipped time in New York is the first after the gap": {
			"America/New_York", daily(half3), "2027-03-14T00:00:00-05:00", "2027-03-15T00:00:00-04:00",
			[]string{"2027-03-14T03:00:00-04:00"},
		},
		"a time shown twice in New York is the first of the two": {
			"America/New_York", daily(90), "2026-11-01T00:00:00-04:00", "2026-11-02T00:00:00-05:00",
			[]string{"2026-11-01T01:30:00-04:00"},
		},
		"two skipped times and the one after the gap are one": {
			"Europe/Berlin", daily(half3, half3+15, 180), "2027-03-28T00:00:00+01:00", "2027-03-29T00:00:00+02:00",
			[]string{"2027-03-28T03:00:00+02:00"},
		},
		"half an hour is skipped on Lord Howe": {
			"Australia/Lord_Howe", daily(2*60 + 15), "2026-10-03T00:00:00+10:30", "2026-10-06T00:00:00+11:00",
			[]string{"2026-10-03T02:15:00+10:30", "2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"},
		},
		"half an hour is shown twice on Lord Howe": {
			"Australia/Lord_Howe", daily(60 + 45), "2027-04-03T00:00:00+11:00", "2027-04-06T00:00:00+10:30",
			[]string{"2027-04-03T01:45:00+11:00", "2027-04-04T01:45:00+11:00", "2027-04-05T01:45:00+10:30"},
		},
		"a day that Samoa skipped moves into the next": {
			"Pacific/Apia",
			[]schedule.LocalTime{{Weekday: 5, Minute: 600}},
			"2011-12-29T00:00:00-10:00", "2012-01-01T00:00:00+14:00",
			[]string{"2011-12-31T00:00:00+14:00"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			limits := instants(t, tt.from, tt.to)
			weekly := schedule.Weekly{Times: tt.times, Zone: zone(t, tt.zone)}
			require.Equal(t, instants(t, tt.want...), weekly.Between(limits[0], limits[1]))
		})
	}
}

// TestEveryMinuteIsTheFirstInstantThatShowsIt covers every minute of days with a clock change.
func TestEveryMinuteIsTheFirstInstantThatShowsIt(t *testing.T) {
	t.Parallel()
	for name, day := range map[string]string{
		"Europe/Berlin": "2027-03-28", "America/New_York": "2027-03-14", "Australia/Lord_Howe": "2026-10-04",
		"Europe/Paris": "2026-10-25", "America/Toronto": "2026-11-01", "Australia/LHI": "2027-04-04",
	} {
		t.Run(name+" "+day, func(t *testing.T) {
			where := zone(t, name)
			start, err := time.ParseInLocation(time.DateOnly, day, where)
			require.NoError(t, err)
			first := map[int]time.Time{} // the first instant that shows each minute
			for at := start; at.Day() == start.Day(); at = at.Add(time.Minute) {
				if minute := schedule.LocalTimeOf(at).Minute; first[minute].IsZero() {
					first[minute] = at.UTC()
				}
			}
			for minute := range schedule.MinutesPerDay {
				want := first[minute]
				for later := minute; want.IsZero(); later++ {
					want = first[later]
				}
				weekly := schedule.Weekly{Times: []schedule.LocalTime{{Weekday: schedule.LocalTimeOf(start).Weekday, Minute: minute}}, Zone: where}
				require.Equal(t, want, weekly.After(start.Add(-1)), schedule.FormatClock(minute))
			}
		})
	}
}

func TestAfterIsStrictlyAfter(t *testing.T) {
	t.Parallel()
	weekly := schedule.Weekly{Times: []schedule.LocalTime{{Weekday: 1, Minute: 540}}, Zone: time.UTC}
	monday := time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)
	require.Equal(t, monday, weekly.After(monday.Add(-1)))
	require.Equal(t, monday.AddDate(0, 0, 7), weekly.After(monday))
	require.Zero(t, schedule.Weekly{Zone: time.UTC}.After(monday), "no times, no next")
	require.Empty(t, schedule.Weekly{Zone: time.UTC}.Between(monday, monday.AddDate(1, 0, 0)))
}

func TestCheckTimes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		times []schedule.LocalTime
		fits  bool
	}{
		"every day at nine":   {daily(540), true},
		"none":                {nil, true},
		"an eighth day":       {[]schedule.LocalTime{{Weekday: 8}}, false},
		"a day before Monday": {[]schedule.LocalTime{{Weekday: 0}}, false},
		"a minute too many":   {[]schedule.LocalTime{{Weekday: 1, Minute: 1440}}, false},
		"a minute below zero": {[]schedule.LocalTime{{Weekday: 1, Minute: -1}}, false},
		"the same time twice": {[]schedule.LocalTime{{Weekday: 1, Minute: 5}, {Weekday: 1, Minute: 5}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := schedule.CheckTimes(tt.times)
			if tt.fits {
				require.NoError(t, err)
				return
			}
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
		})
	}
}

func TestZonesAndClocksAreReadStrictly(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Local", "Mars/Olympus", "../../etc/passwd"} {
		_, err := schedule.Zone(name)
		require.Equal(t, problem.TimezoneUnknown, problem.CodeOf(err), name)
	}
	minute, err := schedule.ParseClock("09:30")
	require.NoError(t, err)
	require.Equal(t, "09:30", schedule.FormatClock(minute))
	_, err = schedule.ParseClock("24:00")
	require.Equal(t, problem.Invalid, problem.CodeOf(err))
	require.Equal(t, "Sunday 23:59", schedule.LocalTime{Weekday: 7, Minute: 1439}.String())
}

// FuzzParseClock checks that accepted times are valid and survive a round trip.
func FuzzParseClock(f *testing.F) {
	for _, value := range []string{"09:30", "9:30", "24:00", "23:59", "00:00", "-1:00", "", "09:30:00", "٠٩:٣٠", "09:3", " 09:30", "09:60"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		minute, err := schedule.ParseClock(value)
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			return
		}
		require.True(t, minute >= 0 && minute < schedule.MinutesPerDay)
		again, err := schedule.ParseClock(schedule.FormatClock(minute))
		require.NoError(t, err)
		require.Equal(t, minute, again)
	})
}
