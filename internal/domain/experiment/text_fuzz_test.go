package experiment

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

// A text of the lab is stored in one form, within its bounds, and what it says can be seen. Its
// Markdown stays as it is.
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

// refusedField holds a refusal to naming its field and repeating nothing that was written.
func refusedField(t *testing.T, err error, text string) {
	t.Helper()
	said, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok)
	require.Equal(t, problem.Invalid, said.Code)
	require.Len(t, said.Details, 1)
	require.True(t, len(text) < 40 || !strings.Contains(said.Message, text))
}

// A slug names an experiment in an address, whatever its title, and names nothing else.
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

// The day of a note is one that has come, written in one way.
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
