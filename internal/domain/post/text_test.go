package post_test

import (
	"encoding/json"
	"html"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

func TestWeight(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text   string
		weight int
	}{
		"an empty text counts nothing":                          {"", 0},
		"a letter counts one":                                   {"abc", 3},
		"an accent written apart counts with its letter":        {"e\u0301", 1},
		"a Chinese character counts two":                        {"你好", 4},
		"a curly quote counts one":                              {"“x”", 3},
		"a euro sign counts two":                                {"€", 2},
		"an emoji counts two":                                   {"😀", 2},
		"a family counts two":                                   {"👨‍👩‍👧‍👦", 2},
		"a skin tone adds nothing":                              {"👍🏽", 2},
		"a skin tone on what has no skin counts for itself":     {"😀🏽", 4},
		"a profession counts two":                               {"👩🏽‍💻", 2},
		"a flag counts two":                                     {"🇺🇸", 2},
		"the flag of a part of a country counts two":            {"🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2},
		"letters that are no region's flag count each":          {"🇦🇦", 4},
		"a keycap counts two":                                   {"1️⃣", 2},
		"a sign counts one until it asks for color":             {"© ©️", 4},
		"a heart that asks for plain text counts its mark":      {"❤︎", 4},
		"emoji that cannot be joined count each":                {"😀\u200d😀", 5},
		"a link counts 23 however short":                        {"http://a.co", 23},
		"a link counts 23 however long":                         {"https://example.com/" + strings.Repeat("a", 400), 23},
		"a domain counts as a link":                             {"see example.com.", 28},
		"a domain whose label the DNS refuses is text":          {strings.Repeat("a", 64) + ".com", 68},
		"a domain with the longest label is a link":             {strings.Repeat("a", 63) + ".com", 23},
		"an email address is text":                              {"me@example.com", 14},
		"an invalid byte counts as one replacement character":   {"a\xff", 3},
		"right-to-left letters count one, as do their marks":    {"\u202bשלום\u202c", 8},
		"a query without a path is not part of a bare domain":   {"example.com?q=1", 27},
		"a query is part of a link that has a scheme":           {"https://example.com?q=1", 23},
		"a bracket that the link does not open is not its part": {"(example.com/a)", 25},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.weight, post.Weight(tt.text))
		})
	}
}

// TestWeightOfCorpus compares with the results of X's published counter.
func TestWeightOfCorpus(t *testing.T) {
	t.Parallel()
	for _, sample := range corpus(t) {
		require.Equal(t, sample.Weight, post.Weight(sample.Text), "%q", sample.Text)
		require.Len(t, post.URLs(norm.NFC.String(sample.Text)), sample.URLs, "%q", sample.Text)
		require.Equal(t, sample.URLs > 0, post.HasURL(norm.NFC.String(sample.Text)), "%q", sample.Text)
	}
}

type sample struct {
	Text   string
	Weight int
	URLs   int
}

func corpus(tb testing.TB) []sample {
	tb.Helper()
	data, err := os.ReadFile("testdata/weights.json")
	require.NoError(tb, err)
	var samples []sample
	require.NoError(tb, json.Unmarshal(data, &samples))
	require.NotEmpty(tb, samples)
	return samples
}

func TestURLs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		urls []string
	}{
		"a sentence without a dot":                  {"no link here", nil},
		"a link before a full stop":                 {"Read https://example.com/a. Then rest.", []string{"https://example.com/a"}},
		"two links and a domain":                    {"http://a.co,b.org/x\nc.dev", []string{"http://a.co", "b.org/x", "c.dev"}},
		"a host with foreign letters, and a scheme": {"https://例え.jp/x", []string{"https://例え.jp/x"}},
		"a host with foreign letters, and none":     {"例え.jp/x", nil},
		"a domain glued to foreign letters":         {"見てexample.com/xを", []string{"example.com/x"}},
		"brackets inside a path":                    {"https://example.com/Film_(1999)", []string{"https://example.com/Film_(1999)"}},
		"an abbreviation":                           {"e.g. this, i.e. that", nil},
		"a version and a time":                      {"v1.2.3 at 10.30", nil},
		"an address of a mailbox":                   {"first.last@example.com", nil},
		"a mention and a tag":                       {"@example.com #example.com", nil},
		"a short link of X itself, and more":        {"https://t.co/abc/def", []string{"https://t.co/abc"}},
		"a forgotten blank that makes a domain":     {"We turned it.off again", []string{"it.off"}},
	} {
		t.Run(name, func(t *testing.T) {
			var urls []string
			for _, span := range post.URLs(tt.text) {
				urls = append(urls, tt.text[span[0]:span[1]])
			}
			require.Equal(t, tt.urls, urls)
		})
	}
}

func TestCheckText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text    string
		code    problem.Code
		message string
	}{
		"a sentence passes":                {text: "We shipped today.\n\tAnd slept."},
		"an emoji alone passes":            {text: "❤️"},
		"the last character passes":        {text: strings.Repeat("a", 280)},
		"one too many is too long":         {strings.Repeat("a", 281), problem.TextTooLong, "This post counts 281 of 280 characters."},
		"Chinese is too long at half":      {strings.Repeat("好", 141), problem.TextTooLong, "This post counts 282 of 280 characters."},
		"a book is too long to be weighed": {strings.Repeat("日.", 2049), problem.TextTooLong, "This post is far longer than 280 characters."},
		"nothing is empty":                 {"", problem.TextEmpty, "This post is empty."},
		"white space is empty":             {" \n\t\u00a0\u3000", problem.TextEmpty, "This post is empty."},
		"invisible text is empty":          {"\u200b\u2060\ufe0f\u3164\u2800\u00ad", problem.TextEmpty, "This post is empty."},
		"broken UTF-8 is invalid":          {"a\xc3", problem.TextInvalid, "This post is not valid UTF-8 text."},
		"a NUL is invalid":                 {"a\x00", problem.TextInvalid, "This post contains a character that X refuses: U+0000."},
		"a carriage return is invalid":     {"a\r\nb", problem.TextInvalid, "This post contains a character that X refuses: U+000D."},
		"a byte order mark is invalid":     {"\ufeffa", problem.TextInvalid, "This post contains a character that X refuses: U+FEFF."},
		"a noncharacter is invalid":        {"a\uffff", problem.TextInvalid, "This post contains a character that X refuses: U+FFFF."},
	} {
		t.Run(name, func(t *testing.T) {
			err := post.CheckText(tt.text)
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.message)
			require.Equal(t, tt.code, problem.CodeOf(err))
		})
	}
}

func FuzzWeight(f *testing.F) {
	for _, sample := range corpus(f)[:300] {
		f.Add(sample.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		composed := norm.NFC.String(text)
		weight := post.Weight(text)
		require.GreaterOrEqual(t, weight, 0)
		require.LessOrEqual(t, weight, 23*utf8.RuneCountInString(composed))
		require.Equal(t, weight, post.Weight(composed))
		require.Equal(t, text == "", weight == 0)
		end := 0
		for _, span := range post.URLs(text) {
			require.GreaterOrEqual(t, span[0], end)
			require.Greater(t, span[1], span[0])
			end = span[1]
		}
		require.LessOrEqual(t, end, len(text))
	})
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"a plain sentence stays":                    {"We shipped. Twice!", "We shipped. Twice!"},
		"blanks around are dropped":                 {"  hello \n", "hello"},
		"blanks between are one":                    {"a \r\n\r\n b\u00a0\tc", "a b c"},
		"accents are composed":                      {"cafe\u0301", "café"},
		"a link loses its scheme and last slash":    {"see HTTPS://Example.COM/ now", "see example.com now"},
		"a link keeps the case of its path":         {"http://A.co/Path/?Q=1", "a.co/Path/?Q=1"},
		"a domain looks like its link":              {"Example.com", "example.com"},
		"a query looks alike with and without link": {"https://example.com?q=1", "example.com?q=1"},
		"a foreign host has its ASCII form":         {"https://BÜCHER.example.com/ü", "xn--bcher-kva.example.com/ü"},
		"letters outside of links keep their case":  {"Read ME", "Read ME"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, post.Canonical(tt.text))
		})
	}
}

func TestTextKey(t *testing.T) {
	t.Parallel()
	require.Equal(t, post.TextKey("Look: example.com"), post.TextKey("Look:\nhttps://example.com/ "))
	require.NotEqual(t, post.TextKey("Look: example.com/a"), post.TextKey("Look: example.com/A"))
	require.Len(t, post.TextKey(""), 64)
}

// TestCanonicalOfXRendering checks that a text and X's rendering of it have the same canonical form.
func TestCanonicalOfXRendering(t *testing.T) {
	t.Parallel()
	for _, sample := range corpus(t) {
		require.Equal(t, post.Canonical(sample.Text), post.Canonical(shown(sample.Text)), "%q", sample.Text)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, sample := range corpus(f)[:300] {
		f.Add(sample.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if post.CheckText(text) != nil {
			return
		}
		require.Equal(t, post.Canonical(text), post.Canonical(shown(text)))
	})
}

// shown imitates X: it composes and trims the text, and adds schemes to links.
func shown(text string) string {
	text = norm.NFC.String(strings.TrimSpace(text))
	var out strings.Builder
	pos := 0
	for _, url := range post.URLs(text) {
		link := text[url[0]:url[1]]
		if lower := strings.ToLower(link); !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
			link = "http://" + link
		}
		out.WriteString(text[pos:url[0]] + link)
		pos = url[1]
	}
	out.WriteString(text[pos:])
	return html.UnescapeString(html.EscapeString(out.String()))
}
