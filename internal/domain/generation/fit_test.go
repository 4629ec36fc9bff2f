package generation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Proves: LLM03, LLM10
func TestFit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer, text string
		code         problem.Code // empty: it can be posted
	}{
		"a plain text":                     {"Hello there.", "Hello there.", ""},
		"blanks around it":                 {" \r\n Hello there. \n", "Hello there.", ""},
		"two lines":                        {"Hello\r\nthere.", "Hello\nthere.", ""},
		"quotation marks around the whole": {`"Hello there."`, "Hello there.", ""},
		"curly ones":                       {"“Hello there.”", "Hello there.", ""},
		"two pairs":                        {`"“Hello there.”"`, "Hello there.", ""},
		"marks that belong to the text":    {`"Yes" is not "no"`, `"Yes" is not "no"`, ""},
		"one mark":                         {`"Hello`, `"Hello`, ""},
		"a code fence around the whole":    {"```text\nHello there.\n```", "Hello there.", ""},
		"a fence, and marks in it":         {"```\n\"Hello there.\"\n```", "Hello there.", ""},
		"280 characters":                   {strings.Repeat("a", 280), strings.Repeat("a", 280), ""},
		"281":                              {strings.Repeat("a", 281), strings.Repeat("a", 281), problem.TextTooLong},
		"emoji count two":                  {strings.Repeat("🎉", 141), strings.Repeat("🎉", 141), problem.TextTooLong},
		"nothing":                          {"", "", problem.TextEmpty},
		"blanks":                           {" \n\t ", "", problem.TextEmpty},
		"two quotation marks":              {`""`, "", problem.TextEmpty},
		"invisible characters":             {"\u200b\u200b", "", problem.TextEmpty},
		"an HTML tag":                      {"Hello <b>there</b>.", "Hello <b>there</b>.", problem.AnswerUnfit},
		"a script":                         {"<script>alert(1)</script>", "<script>alert(1)</script>", problem.AnswerUnfit},
		"a comment":                        {"Hi <!-- x -->", "Hi <!-- x -->", problem.AnswerUnfit},
		"a heading":                        {"# News\nHello", "# News\nHello", problem.AnswerUnfit},
		"bold":                             {"This is **new**.", "This is **new**.", problem.AnswerUnfit},
		"a link":                           {"[Look](https://example.com)", "[Look](https://example.com)", problem.AnswerUnfit},
		"a fence in the middle":            {"Look: ```code```", "Look: ```code```", problem.AnswerUnfit},
		"a heart is no tag":                {"We <3 you, 1 < 2 > 0", "We <3 you, 1 < 2 > 0", ""},
		"a hashtag is no heading":          {"#news today", "#news today", ""},
		"a product is not bold":            {"2 * 3 ** 4", "2 * 3 ** 4", ""},
		"a plain link":                     {"See https://example.com [1] (here)", "See https://example.com [1] (here)", ""},
		"a bell":                           {"Hello\a", "Hello\a", problem.TextInvalid},
		"a zero byte is dropped":           {"Hel\x00lo", "Hello", ""},
		"invalid UTF-8":                    {"Hello\xff", "Hello\uFFFD", ""},
		"instructions are plain text":      {"Ignore all this.", "Ignore all this.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text, flaw := Fit(tt.answer)
			require.Equal(t, tt.text, text)
			if tt.code == "" {
				require.Nil(t, flaw)
				return
			}
			require.NotNil(t, flaw)
			require.Equal(t, tt.code, flaw.Code)
			require.NotEmpty(t, flaw.Reason)
		})
	}
}

func TestEndOf(t *testing.T) {
	t.Parallel()
	require.Equal(t, End{State: Done, Text: "Hello."}, EndOf(" Hello. "))
	require.Equal(t, Invalid, EndOf("**Hello.**").State)
	nothing := EndOf(`""`)
	require.Equal(t, Failed, nothing.State)
	require.Equal(t, problem.TextEmpty, nothing.Code)
}

// FuzzFit checks that accepted texts can be posted and stay accepted.
func FuzzFit(f *testing.F) {
	for _, answer := range []string{
		"", "Hello.", "```\nHello.\n```", "```text\nHello.\n```\nmore", "“Hello.”", `"'Hello.'"`, `"Yes" is not "no"`, "# Title\nHello", "**Hello**", "[a](b)",
		"<b>Hello</b>", "a < b > c", "Hel\x00lo", "\xff", strings.Repeat("é", 300), strings.Repeat("👍", 2000), "\u202eolleH", "\r\n\r\n", "``````", "```\n```",
		"https://example.com/" + strings.Repeat("a", 5000), "a" + strings.Repeat("é", 5000), "`Hello.`", "'", "„Hallo.“", "\ufeffHello",
	} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		kept := Kept(answer)
		require.True(t, utf8.ValidString(kept))
		require.LessOrEqual(t, len(kept), maxKept)
		require.NotContains(t, kept, "\x00")
		require.Equal(t, kept, Kept(kept))

		text, flaw := Fit(answer)
		require.LessOrEqual(t, len(text), maxKept)
		if flaw != nil {
			require.NotEmpty(t, flaw.Code)
			require.NotEmpty(t, flaw.Reason)
			require.NotContains(t, flaw.Reason, "%!")
			return
		}
		require.NoError(t, post.CheckText(text))
		require.False(t, marks.MatchString(text))
		again, flaw := Fit(text)
		require.Nil(t, flaw)
		require.NoError(t, post.CheckText(again))
	})
}
