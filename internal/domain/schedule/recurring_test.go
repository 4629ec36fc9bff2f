package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

var now = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC) // a Friday

func sound() schedule.RecurringPost {
	return schedule.RecurringPost{
		ID: "s", Texts: []string{"Number {number}"}, Weekly: []schedule.LocalTime{{Weekday: 1, Minute: 540}}, Timezone: "UTC",
		State: schedule.Active, PlannedUntil: now,
	}
}

func TestRecurringPostCheck(t *testing.T) {
	t.Parallel()
	monday, sunday := func(minute int) schedule.LocalTime { return schedule.LocalTime{Weekday: 1, Minute: minute} }, schedule.LocalTime{Weekday: 7, Minute: 1430}
	day := func(days int) *time.Time { at := now.AddDate(0, 0, days); return &at }
	for name, tt := range map[string]struct {
		change func(*schedule.RecurringPost)
		code   problem.Code
		says   string
	}{
		"once a week":                    {change: func(*schedule.RecurringPost) {}},
		"an hour apart":                  {change: func(s *schedule.RecurringPost) { s.Weekly = []schedule.LocalTime{monday(540), monday(600)} }},
		"less than an hour apart":        {func(s *schedule.RecurringPost) { s.Weekly = []schedule.LocalTime{monday(599), monday(540)} }, problem.RecurringTooOften, "Monday 09:00 and Monday 09:59"},
		"too near across the week's end": {func(s *schedule.RecurringPost) { s.Weekly = []schedule.LocalTime{monday(10), sunday} }, problem.RecurringTooOften, "Sunday 23:50 and Monday 00:10"},
		"no times":                       {func(s *schedule.RecurringPost) { s.Weekly = nil }, problem.Invalid, ""},
		"51 times":                       {func(s *schedule.RecurringPost) { s.Weekly = make([]schedule.LocalTime, 51) }, problem.Invalid, ""},
		"a day that is none":             {func(s *schedule.RecurringPost) { s.Weekly[0].Weekday = 8 }, problem.Invalid, ""},
		"an unknown zone":                {func(s *schedule.RecurringPost) { s.Timezone = "Mars/Olympus" }, problem.TimezoneUnknown, ""},
		"one text without a placeholder": {func(s *schedule.RecurringPost) { s.Texts = []string{"hello"} }, problem.TextDuplicate, "write {date} or {number}"},
		"one text with the date":         {change: func(s *schedule.RecurringPost) { s.Texts = []string{"It is {date}"} }},
		"the date alone twice a day": {func(s *schedule.RecurringPost) {
			s.Texts = []string{"It is {date}"}
			s.Weekly = []schedule.LocalTime{monday(1), monday(600)}
		}, problem.TextDuplicate, "Write {number}"},
		"two texts without placeholders":     {change: func(s *schedule.RecurringPost) { s.Texts = []string{"hello", "goodbye"} }},
		"two texts that X takes for one":     {func(s *schedule.RecurringPost) { s.Texts = []string{"hello", " hello "} }, problem.TextDuplicate, "two of these texts"},
		"no text":                            {func(s *schedule.RecurringPost) { s.Texts = nil }, problem.Invalid, ""},
		"an empty text":                      {func(s *schedule.RecurringPost) { s.Texts = []string{"a", ""} }, problem.TextEmpty, ""},
		"as long as X takes, number and all": {change: func(s *schedule.RecurringPost) { s.Texts = []string{strings.Repeat("x", 276) + "{number}"} }},
		"too long with a wide number":        {func(s *schedule.RecurringPost) { s.Texts = []string{strings.Repeat("x", 277) + "{number}"} }, problem.TextTooLong, ""},
		"too long in September":              {func(s *schedule.RecurringPost) { s.Texts = []string{strings.Repeat("x", 264) + "{date}"} }, problem.TextTooLong, ""},
		"an end in the past":                 {func(s *schedule.RecurringPost) { s.EndsAt = day(-1) }, problem.DatePast, "The last day has passed"},
		"an end before the first time":       {func(s *schedule.RecurringPost) { s.EndsAt = day(1) }, problem.DatePast, "None of its times"},
		"an end after the first time":        {change: func(s *schedule.RecurringPost) { s.EndsAt = day(3) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := sound()
			tt.change(&s)
			err := s.Check(time.Hour, now)
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.code, problem.CodeOf(err))
			require.ErrorContains(t, err, tt.says)
		})
	}
	often := sound()
	often.Weekly = []schedule.LocalTime{monday(540), monday(550)}
	require.Equal(t, problem.RecurringTooOften, problem.CodeOf(often.Check(0, now)), "posting times without a gap does not allow bursts")
}

func TestTextsTakeTurns(t *testing.T) {
	t.Parallel()
	berlin, err := schedule.Zone("Europe/Berlin")
	require.NoError(t, err)
	s := sound()
	s.Texts = []string{"A {date}", "B {number}"}
	late := time.Date(2026, time.November, 22, 23, 30, 0, 0, time.UTC) // the 23rd in Berlin
	require.Equal(t, "A 23 November 2026", s.TextAt(1, 0, late, berlin))
	require.Equal(t, "B 2", s.TextAt(2, 0, late, berlin))
	require.Equal(t, "A 23 November 2026", s.TextAt(2, 1, late, berlin), "the other one, where the first is passed over")
}

func TestPlanListsUncreatedPosts(t *testing.T) {
	t.Parallel()
	s := sound()
	s.PostsCreated, s.PlannedUntil = 4, time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)
	planned := s.Plan(now, now.AddDate(0, 0, 30), now, 500)
	require.Equal(t, []schedule.PlannedPost{
		{s, time.Date(2026, time.November, 30, 9, 0, 0, 0, time.UTC), "Number 5"},
		{s, time.Date(2026, time.December, 7, 9, 0, 0, 0, time.UTC), "Number 6"},
		{s, time.Date(2026, time.December, 14, 9, 0, 0, 0, time.UTC), "Number 7"},
	}, planned)
	require.Equal(t, planned[1:], s.Plan(planned[1].At, now.AddDate(0, 0, 30), now, 500), "those before are counted, and not shown")
	require.Len(t, s.Plan(now, now.AddDate(1, 0, 0), now, 2), 2)

	ends := planned[0].At
	s.EndsAt = &ends
	require.Len(t, s.Plan(now, now.AddDate(0, 0, 30), now, 500), 1)
	s.State = schedule.Paused
	require.Empty(t, s.Plan(now, now.AddDate(0, 0, 30), now, 500))
}

// FuzzExpand checks that accepted texts can be posted with every number and date.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{"Number {number}", "{date}", "{number}{number}{date}", "{{number}}", "{num{number}ber}", "{Number} {date", "https://example.com/{number}", "{date}.com", "a{number}b.de", "\u200b{number}", "{number}\u0301"} {
		f.Add(text, 1, 0)
		f.Add(text, 9999, 400)
	}
	f.Fuzz(func(t *testing.T, text string, number, day int) {
		if number < 1 || number > 9999 || day < 0 || day > 10_000 {
			return
		}
		s := sound()
		s.Texts = []string{text, "Another {number}"}
		if err := s.Check(0, now); err != nil {
			require.NotEmpty(t, problem.CodeOf(err))
			return
		}
		at := now.AddDate(0, 0, day)
		expanded := schedule.ExpandText(text, at, time.UTC, number)
		require.NoError(t, post.CheckText(expanded), "%q", expanded)
	})
}
