package post_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

func TestParseCSV(t *testing.T) {
	t.Parallel()
	rows, err := post.ParseCSV([]byte("\ufeffText,Scheduled_At,timezone,member,made_with_ai\r\n"+
		"\"two\nlines, one post\",2026-12-01 09:00,Europe/Berlin,ada,yes\r\n"+
		"plain,,,,\r\n"), noon)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, "two\nlines, one post", rows[0].Text)
	require.Equal(t, 8, rows[0].At.Hour())
	require.Equal(t, "ada", rows[0].Member)
	require.True(t, rows[0].MadeWithAI)
	require.Equal(t, 2, rows[0].Line)
	require.Equal(t, 4, rows[1].Line, "a text of two lines takes two")
	require.Equal(t, noon, rows[1].At)
}

func TestParseCSVKeepsGoodLinesBesideBadOnes(t *testing.T) {
	t.Parallel()
	rows, err := post.ParseCSV([]byte("text,scheduled_at\ngood,\n"+strings.Repeat("x", 281)+",\nlate,2020-01-01T00:00:00Z\ngood,\n,\n"), noon)
	require.NoError(t, err)
	codes := make([]problem.Code, len(rows))
	for i, row := range rows {
		if row.Err != nil {
			codes[i] = problem.CodeOf(row.Err)
		}
	}
	require.Equal(t, []problem.Code{"", problem.TextTooLong, problem.DatePast, problem.TextDuplicate, problem.TextEmpty}, codes)
	require.ErrorContains(t, rows[3].Err, "line 2")

	rows, err = post.ParseCSV([]byte("text\n\"two\nlines\"\nagain\nagain\n"), noon)
	require.NoError(t, err)
	require.ErrorContains(t, rows[2].Err, "line 4", "as an editor counts, not as there are records")
}

func TestParseCSVAsksWhichOfTwoTimesIsMeant(t *testing.T) {
	t.Parallel()
	rows, err := post.ParseCSV([]byte("text,scheduled_at,timezone\ntwice,2027-10-31T02:30,Europe/Berlin\nonce,2027-10-31T03:30,Europe/Berlin\n"), noon)
	require.NoError(t, err)
	require.Equal(t, problem.DateAmbiguous, problem.CodeOf(rows[0].Err))
	require.ErrorContains(t, rows[0].Err, "2027-10-31T02:30:00+02:00")
	require.NoError(t, rows[1].Err)
}

func TestParseCSVExplainsABadHeading(t *testing.T) {
	t.Parallel()
	const columns = "The columns are text, scheduled_at, timezone, member, made_with_ai."
	for heading, says := range map[string]string{
		"text,scheduled": `Line 1, column 2: unknown column "scheduled". ` + columns + ` Did you mean "scheduled_at"?`,
		"Textt":          `Line 1, column 1: unknown column "textt". ` + columns + ` Did you mean "text"?`,
		"text,time zone": `Line 1, column 2: unknown column "time zone". ` + columns + ` Did you mean "timezone"?`,
		"text,price":     `Line 1, column 2: unknown column "price". ` + columns,
		"text,Text":      "Line 1, column 2: duplicate column text.",
		"member":         "Line 1: the column text is missing.",
		"":               "The file is empty. The first line must name the columns: text,scheduled_at,timezone,member,made_with_ai.",
	} {
		_, err := post.ParseCSV([]byte(heading), noon)
		require.EqualError(t, err, says)
	}
}

func FuzzParseCSV(f *testing.F) {
	f.Add([]byte("text,member\nhi,ada\n"))
	f.Add([]byte("text\n\"open"))
	f.Add([]byte("\xff\xfe"))
	f.Fuzz(func(t *testing.T, file []byte) {
		rows, err := post.ParseCSV(file, noon)
		if err != nil {
			require.Equal(t, problem.CSVInvalid, problem.CodeOf(err))
			require.Empty(t, rows)
		}
		for _, row := range rows {
			require.Greater(t, row.Line, 1)
			require.True(t, row.Err != nil || post.CheckText(row.Text) == nil)
		}
	})
}
