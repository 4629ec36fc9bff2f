package experiment

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func idea() Submission {
	return Submission{
		Title: " Emoji reactions ", Problem: "Nobody can say how they feel.",
		Hypothesis: "If we build it, then they come, because they can.", Impact: "More people say more.",
	}
}

func TestReviewLets(t *testing.T) {
	t.Parallel()
	ada := "ada"
	for review, tt := range map[Review]map[Origin]Status{
		ReviewAll:      {FromVisitor: Waiting, FromMember: Waiting, FromFounder: Planning},
		ReviewVisitors: {FromVisitor: Waiting, FromMember: Planning, FromFounder: Planning},
		ReviewNone:     {FromVisitor: Planning, FromMember: Planning, FromFounder: Planning},
		"":             {FromVisitor: Waiting, FromMember: Waiting, FromFounder: Planning},
	} {
		for by, want := range tt {
			e, err := New("id", idea(), by, &ada, review, noon)
			require.NoError(t, err)
			require.Equal(t, want, e.Status, "%s by %s", review, by)
		}
	}
}

func TestNewRow(t *testing.T) {
	t.Parallel()
	ada := "ada"
	e, err := New("id", idea(), FromMember, &ada, ReviewAll, noon)
	require.NoError(t, err)
	require.Equal(t, Experiment{
		ID: "id", Slug: "id", Title: "Emoji reactions", Problem: idea().Problem, Hypothesis: idea().Hypothesis, Impact: idea().Impact,
		Difficulty: Medium, Status: Waiting, Origin: FromMember, MemberID: &ada, Version: 1, SubmittedAt: noon, UpdatedAt: noon,
		Methodology: []string{}, TechStack: []string{}, SuccessMetrics: []string{},
	}, e)

	hard := idea()
	hard.Difficulty = Hard
	e, err = New("id", hard, FromVisitor, nil, ReviewAll, noon)
	require.NoError(t, err)
	require.Equal(t, Hard, e.Difficulty)

	for want, spoil := range map[string]func(*Submission){
		"body.title: must not be empty":                              func(s *Submission) { s.Title = "" },
		"body.problem: must have at least 20 characters":             func(s *Submission) { s.Problem = "short" },
		"body.hypothesis: must have at least 20 characters":          func(s *Submission) { s.Hypothesis = "short" },
		"body.impact: must have at least 10 characters":              func(s *Submission) { s.Impact = "short" },
		"body.difficulty: must be easy, medium or hard":              func(s *Submission) { s.Difficulty = "impossible" },
		"body.impact: contains a character that cannot be displayed": func(s *Submission) { s.Impact = "More people\x00 say more." },
	} {
		s := idea()
		spoil(&s)
		_, err := New("id", s, FromVisitor, nil, ReviewAll, noon)
		require.Equal(t, want, refusal(t, err))
	}
}

func TestEdited(t *testing.T) {
	t.Parallel()
	e, err := New("id", idea(), FromFounder, nil, ReviewAll, noon)
	require.NoError(t, err)
	title, progress, steps, none := "Reactions  with emoji ", 40, []string{" One ", "Two"}, []string{}
	easy := Easy
	later := noon.Add(time.Hour)
	edited, err := e.Edited(Edit{Title: &title, Progress: &progress, Methodology: &steps, TechStack: &none, Difficulty: &easy}, later)
	require.NoError(t, err)
	want := e
	want.Title, want.Progress, want.Methodology, want.Difficulty, want.Version, want.UpdatedAt = "Reactions  with emoji", 40, []string{"One", "Two"}, Easy, 2, later
	require.Equal(t, want, edited, "what is left out stays")

	text, list, above, below, odd := "x", []string{""}, 101, -1, Difficulty("odd")
	for want, edit := range map[string]Edit{
		"body.title: must have at least 5 characters":       {Title: &text},
		"body.problem: must have at least 20 characters":    {Problem: &text},
		"body.hypothesis: must have at least 20 characters": {Hypothesis: &text},
		"body.impact: must have at least 10 characters":     {Impact: &text},
		"body.difficulty: must be easy, medium or hard":     {Difficulty: &odd},
		"body.methodology[0]: must not be empty":            {Methodology: &list},
		"body.techStack[0]: must not be empty":              {TechStack: &list},
		"body.successMetrics[0]: must not be empty":         {SuccessMetrics: &list},
	} {
		_, err := e.Edited(edit, later)
		require.Equal(t, want, refusal(t, err))
	}
	for _, progress := range []*int{&above, &below} {
		_, err := e.Edited(Edit{Progress: progress}, later)
		require.Equal(t, "body.progress: must be a percentage from 0 to 100", refusal(t, err))
	}
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckVersion(3, 3))
	for _, seen := range []int{2, 4, 0} {
		err := CheckVersion(seen, 3)
		require.Equal(t, problem.EditStale, problem.CodeOf(err))
		require.EqualError(t, err, "Someone else has changed this. Reload it, then change it again.")
	}
}

var noon = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

// refusal returns the field and the reason of a problem.
func refusal(t *testing.T, err error) string {
	t.Helper()
	p, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok, err)
	require.Equal(t, problem.Invalid, p.Code)
	require.Len(t, p.Details, 1)
	return p.Details[0].Field + ": " + p.Details[0].Reason
}

func TestClean(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100)
	for name, tt := range map[string]struct {
		in bounds

		text, want, refused string
	}{
		"blanks around it go":                   {titles, " \n Hello \t", "Hello", ""},
		"one form for one letter":               {titles, "Cafe\u0301s", "Cafés", ""},
		"as short as can be":                    {titles, "12345", "12345", ""},
		"too short":                             {titles, " 1234 ", "", "body.title: must have at least 5 characters"},
		"as long as can be, in characters":      {titles, long, long, ""},
		"counted in composed form":              {titles, strings.Repeat("e\u0301", 100), long, ""},
		"too long":                              {titles, long + "e", "", "body.title: must have at most 100 characters"},
		"a megabyte":                            {titles, strings.Repeat("a", 1<<20), "", "body.title: must have at most 100 characters"},
		"empty":                                 {titles, " ", "", "body.title: must not be empty"},
		"nothing to see":                        {titles, "\u200b\u200b\u200b\u200b\u200b\u3164\ufe0f", "", "body.title: must not be empty"},
		"nothing to see, few":                   {titles, "\u200b", "", "body.title: must not be empty"},
		"two lines in one":                      {titles, "Hello\nyou", "", "body.title: must be one line"},
		"a line's other end":                    {titles, "Hello\u2028you", "", "body.title: must be one line"},
		"a tab":                                 {titles, "Hello\tyou", "", "body.title: contains a character that cannot be displayed"},
		"a zero byte":                           {problems, "Hello\x00 and more than twenty", "", "body.problem: contains a character that cannot be displayed"},
		"an escape":                             {problems, "Hello\x1b[31m and more than twenty", "", "body.problem: contains a character that cannot be displayed"},
		"bidirectional overrides":               {titles, "Hello \u202egnp.exe", "", "body.title: contains a character that cannot be displayed"},
		"not UTF-8":                             {titles, "Hello\xff\xfe", "", "body.title: must be valid UTF-8 text"},
		"markup is text":                        {titles, "<script>alert(1)</script> & 'x' --", "<script>alert(1)</script> & 'x' --", ""},
		"lines where there may be some":         {problems, "One line is here.\nAnd another.", "One line is here.\nAnd another.", ""},
		"lines as browsers write them":          {problems, "One line is here.\r\nAnd another.", "One line is here.\nAnd another.", ""},
		"a bare carriage return":                {problems, "One line is here.\rAnd another.", "", "body.problem: contains a character that cannot be displayed"},
		"other scripts, and emoji with joiners": {titles, "写真を撮る 👩‍🔬 بحث", "写真を撮る 👩‍🔬 بحث", ""},
		"a problem, too short":                  {problems, strings.Repeat("a", 19), "", "body.problem: must have at least 20 characters"},
		"a problem, too long":                   {problems, strings.Repeat("a", 1001), "", "body.problem: must have at most 1000 characters"},
		"a hypothesis, too short":               {hypotheses, strings.Repeat("a", 19), "", "body.hypothesis: must have at least 20 characters"},
		"a hypothesis, too long":                {hypotheses, strings.Repeat("a", 501), "", "body.hypothesis: must have at most 500 characters"},
		"an impact, too short":                  {impacts, strings.Repeat("a", 9), "", "body.impact: must have at least 10 characters"},
		"an impact, too long":                   {impacts, strings.Repeat("a", 501), "", "body.impact: must have at most 500 characters"},
		"no reason":                             {reasons, "", "", ""},
		"a reason, too long":                    {reasons, strings.Repeat("a", 301), "", "body.reason: must have at most 300 characters"},
		"an invisible reason":                   {reasons, "\u200b", "", "body.reason: must not be empty"},
		"a note may have tabs":                  {noteContent, "```\n\tcode\n```", "```\n\tcode\n```", ""},
		"a note, too long":                      {noteContent, strings.Repeat("a", 8001), "", "body.content: must have at most 8000 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.in.clean(tt.text)
			require.Equal(t, tt.want, got)
			if tt.refused == "" {
				require.NoError(t, err)
				again, err := tt.in.clean(got)
				require.NoError(t, err)
				require.Equal(t, got, again, "what is clean stays as it is")
				return
			}
			require.Equal(t, tt.refused, refusal(t, err))
		})
	}
}

func TestListsAreCleaned(t *testing.T) {
	t.Parallel()
	list := func(field string, items []string) (cleaned []string, err error) {
		return cleaned, putList(field, &items, &cleaned)
	}
	for _, tt := range [][2][]string{{nil, {}}, {{" Go ", "<b>"}, {"Go", "<b>"}}} {
		cleaned, err := list("techStack", tt[0])
		require.NoError(t, err)
		require.Equal(t, tt[1], cleaned, "never nil")
	}

	for name, tt := range map[string]struct {
		items []string
		want  string
	}{
		"too many":    {make([]string, 21), "body.techStack: must have at most 20 items"},
		"an empty":    {[]string{"Go", " "}, "body.techStack[1]: must not be empty"},
		"a long one":  {[]string{strings.Repeat("a", 201)}, "body.techStack[0]: must have at most 200 characters"},
		"two in one":  {[]string{"a\nb"}, "body.techStack[0]: must be one line"},
		"a zero byte": {[]string{"a\x00b"}, "body.techStack[0]: contains a character that cannot be displayed"},
	} {
		_, err := list("techStack", tt.items)
		require.Equal(t, tt.want, refusal(t, err), name)
	}
	_, err := list("methodology", slices.Repeat([]string{"a"}, maxItems))
	require.NoError(t, err)
}

func TestNoteIsCleanedAndDated(t *testing.T) {
	t.Parallel()
	n, err := Note{Date: "2026-11-22", Content: " **Hi** <b>\r\n"}.Clean(noon)
	require.NoError(t, err)
	require.Equal(t, "**Hi** <b>", n.Content)
	for date, want := range map[string]string{
		"2026-11-23": "body.date: must not be in the future (UTC)",
		"2026-02-30": "body.date: must be a date like 2026-11-22",
		"2026-1-02":  "body.date: must be a date like 2026-11-22",
		"yesterday":  "body.date: must be a date like 2026-11-22",
		"":           "body.date: must be a date like 2026-11-22",
		"0001-01-01": "body.date: must not be before the year 2000",
	} {
		_, err := Note{Date: date, Content: "x"}.Clean(noon)
		require.Equal(t, want, refusal(t, err), date)
	}
	_, err = Note{Date: "2026-11-22", Content: " \n"}.Clean(noon)
	require.Equal(t, "body.content: must not be empty", refusal(t, err))
}

// FuzzClean checks that cleaned texts are bounded, visible and stable.
func FuzzClean(f *testing.F) {
	for _, text := range []string{
		"", "Reply to every mention", "two\nlines of text", "two\r\nlines of text", "tab\there and there", "\u202eolleh and more", "e\u0301" + strings.Repeat("x", 20), "\xff\xfe",
		strings.Repeat("\u200b", 30), strings.Repeat("\u3164", 30), "\u2028\u2029 and something", "# Title\n\n- [ ] a\n\n<script>", strings.Repeat("é", 101), "   padded text   ", "\u0340\u0341\u212b and more",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, b := range []bounds{titles, problems, reasons, noteContent} {
			cleaned, err := b.clean(text)
			if err != nil {
				refusedField(t, err, text)
				continue
			}
			require.True(t, utf8.ValidString(cleaned))
			require.Equal(t, strings.TrimSpace(cleaned), cleaned)
			n := utf8.RuneCountInString(cleaned)
			require.True(t, n >= b.min && n <= b.max, n)
			require.False(t, strings.ContainsFunc(cleaned, b.forbids))
			require.True(t, n == 0 || visible(cleaned))
			again, err := b.clean(cleaned)
			require.NoError(t, err)
			require.Equal(t, cleaned, again)
		}
	})
}

// refusedField checks that a refusal names one field and does not repeat the text.
func refusedField(t *testing.T, err error, text string) {
	t.Helper()
	said, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok)
	require.Equal(t, problem.Invalid, said.Code)
	require.Len(t, said.Details, 1)
	require.True(t, len(text) < 40 || !strings.Contains(said.Message, text))
}

// FuzzSlug checks that slugs are valid and never parse as numbers.
func FuzzSlug(f *testing.F) {
	f.Add(1, "Public experiments page")
	f.Add(1000, "don't – “stop”!")
	f.Add(7, "日本語")
	f.Add(7, strings.Repeat("a", 300))
	f.Add(7, "\xff\u0130\u1e9e")
	f.Fuzz(func(t *testing.T, number int, title string) {
		if number < 1 || number > 1<<31-1 {
			return
		}
		slug := Slug(number, title)
		require.Regexp(t, `\A[0-9]{3,}(-[a-z0-9]+)+\z`, slug)
		require.LessOrEqual(t, len(slug), maxSlug)
		require.Equal(t, Key{Slug: slug}, ParseKey(slug), "it is no number")
		require.Equal(t, Key{Number: number}, ParseKey(ShownID(Experiment{Number: &number})))
	})
}

// FuzzNote checks that accepted dates are canonical and not in the future.
func FuzzNote(f *testing.F) {
	for _, day := range []string{"2026-11-20", "2026-11-21", "2026-2-1", "1999-12-31", "2000-01-01", "2026-02-29", "", "today", "-2026-01-01", "+2026-01-01", "2026-11-20T00:00:00Z"} {
		f.Add(day, "words")
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, day, content string) {
		note, err := Note{Date: day, Content: content}.Clean(now)
		if err != nil {
			refusedField(t, err, content)
			return
		}
		at, err := time.Parse(time.DateOnly, note.Date)
		require.NoError(t, err)
		require.Equal(t, note.Date, at.Format(time.DateOnly))
		require.False(t, at.After(now) || at.Year() < 2000)
	})
}
