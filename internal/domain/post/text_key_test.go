package post_test

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"customerzero/internal/domain/post"
)

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
			t.Parallel()
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

// TestCanonicalOfWhatXShows: whatever was written, the text that comes back is taken for it.
func TestCanonicalOfWhatXShows(t *testing.T) {
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

// shown does to a text what X does: it composes and trims it, and gives links a scheme.
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
