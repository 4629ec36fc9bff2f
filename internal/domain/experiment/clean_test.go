package experiment

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

var noon = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

// refusal is the field that a problem names, and what is wrong there.
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
		"too short":                             {titles, " 1234 ", "", "body.title: it needs at least 5 characters"},
		"as long as can be, in characters":      {titles, long, long, ""},
		"counted when letters have one form":    {titles, strings.Repeat("e\u0301", 100), long, ""},
		"too long":                              {titles, long + "e", "", "body.title: it has more than 100 characters"},
		"a megabyte":                            {titles, strings.Repeat("a", 1<<20), "", "body.title: it has more than 100 characters"},
		"empty":                                 {titles, " ", "", "body.title: it is empty"},
		"nothing to see":                        {titles, "\u200b\u200b\u200b\u200b\u200b\u3164\ufe0f", "", "body.title: it is empty"},
		"nothing to see, few":                   {titles, "\u200b", "", "body.title: it is empty"},
		"two lines in one":                      {titles, "Hello\nyou", "", "body.title: it must be one line"},
		"a line's other end":                    {titles, "Hello\u2028you", "", "body.title: it must be one line"},
		"a tab":                                 {titles, "Hello\tyou", "", "body.title: it contains a character that cannot be shown"},
		"a zero byte":                           {problems, "Hello\x00 and more than twenty", "", "body.problem: it contains a character that cannot be shown"},
		"an escape":                             {problems, "Hello\x1b[31m and more than twenty", "", "body.problem: it contains a character that cannot be shown"},
		"text that turns what is around it":     {titles, "Hello \u202egnp.exe", "", "body.title: it contains a character that cannot be shown"},
		"not UTF-8":                             {titles, "Hello\xff\xfe", "", "body.title: it is not valid UTF-8 text"},
		"markup is text":                        {titles, "<script>alert(1)</script> & 'x' --", "<script>alert(1)</script> & 'x' --", ""},
		"lines where there may be some":         {problems, "One line is here.\nAnd another.", "One line is here.\nAnd another.", ""},
		"lines as browsers write them":          {problems, "One line is here.\r\nAnd another.", "One line is here.\nAnd another.", ""},
		"a bare carriage return":                {problems, "One line is here.\rAnd another.", "", "body.problem: it contains a character that cannot be shown"},
		"other scripts, and emoji with joiners": {titles, "写真を撮る 👩‍🔬 بحث", "写真を撮る 👩‍🔬 بحث", ""},
		"a problem, too short":                  {problems, strings.Repeat("a", 19), "", "body.problem: it needs at least 20 characters"},
		"a problem, too long":                   {problems, strings.Repeat("a", 1001), "", "body.problem: it has more than 1000 characters"},
		"a hypothesis, too short":               {hypotheses, strings.Repeat("a", 19), "", "body.hypothesis: it needs at least 20 characters"},
		"a hypothesis, too long":                {hypotheses, strings.Repeat("a", 501), "", "body.hypothesis: it has more than 500 characters"},
		"an impact, too short":                  {impacts, strings.Repeat("a", 9), "", "body.impact: it needs at least 10 characters"},
		"an impact, too long":                   {impacts, strings.Repeat("a", 501), "", "body.impact: it has more than 500 characters"},
		"no reason":                             {reasons, "", "", ""},
		"a reason, too long":                    {reasons, strings.Repeat("a", 301), "", "body.reason: it has more than 300 characters"},
		"a reason that nobody sees":             {reasons, "\u200b", "", "body.reason: it is empty"},
		"a note may have tabs":                  {noteContent, "```\n\tcode\n```", "```\n\tcode\n```", ""},
		"a note, too long":                      {noteContent, strings.Repeat("a", 8001), "", "body.content: it has more than 8000 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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

func TestCleanList(t *testing.T) {
	t.Parallel()
	none, err := cleanList("techStack", nil)
	require.NoError(t, err)
	require.Equal(t, []string{}, none, "never nil")
	some, err := cleanList("techStack", []string{" Go ", "<b>"})
	require.NoError(t, err)
	require.Equal(t, []string{"Go", "<b>"}, some)

	for name, tt := range map[string]struct {
		items []string
		want  string
	}{
		"too many":    {make([]string, 21), "body.techStack: it has more than 20 items"},
		"an empty":    {[]string{"Go", " "}, "body.techStack[1]: it is empty"},
		"a long one":  {[]string{strings.Repeat("a", 201)}, "body.techStack[0]: it has more than 200 characters"},
		"two in one":  {[]string{"a\nb"}, "body.techStack[0]: it must be one line"},
		"a zero byte": {[]string{"a\x00b"}, "body.techStack[0]: it contains a character that cannot be shown"},
	} {
		_, err := cleanList("techStack", tt.items)
		require.Equal(t, tt.want, refusal(t, err), name)
	}
	_, err = cleanList("methodology", slices.Repeat([]string{"a"}, maxItems))
	require.NoError(t, err)
}

func TestNoteIsCleanedAndDated(t *testing.T) {
	t.Parallel()
	n, err := Note{Date: "2026-11-22", Content: " **Hi** <b>\r\n"}.Clean(noon)
	require.NoError(t, err)
	require.Equal(t, "**Hi** <b>", n.Content)
	for date, want := range map[string]string{
		"2026-11-23": "body.date: that day has not come yet, in UTC",
		"2026-02-30": "body.date: it is not a day like 2026-11-22",
		"2026-1-02":  "body.date: it is not a day like 2026-11-22",
		"yesterday":  "body.date: it is not a day like 2026-11-22",
		"":           "body.date: it is not a day like 2026-11-22",
		"0001-01-01": "body.date: it is too long ago",
	} {
		_, err := Note{Date: date, Content: "x"}.Clean(noon)
		require.Equal(t, want, refusal(t, err), date)
	}
	_, err = Note{Date: "2026-11-22", Content: " \n"}.Clean(noon)
	require.Equal(t, "body.content: it is empty", refusal(t, err))
}
