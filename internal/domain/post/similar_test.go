package post_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
)

func TestSimilar(t *testing.T) {
	t.Parallel()
	const text = "Our new mug is here: https://example.com/mug"
	for name, tt := range map[string]struct {
		other string
		least int // percent; 0: not alike
	}{
		"the same":                    {text, 100},
		"other case and blanks":       {"OUR  new mug\nis here: https://example.com/mug", 100},
		"without the scheme":          {"Our new mug is here: example.com/mug", 100},
		"a word more":                 {"Our new blue mug is here: https://example.com/mug", 85},
		"another end":                 {"Our new mug is here! https://example.com/mugs", 85},
		"about something else":        {"We hired an accountant, and she likes it here", 0},
		"far longer":                  {text + strings.Repeat(" and more of it", 8), 0},
		"a letter":                    {"O", 0},
		"a sign of another alphabet":  {"字", 0},
		"the same words, much reused": {"mug mug mug mug mug mug mug mug mug mug mug", 0},
	} {
		t.Run(name, func(t *testing.T) {
			alike := post.Similar(text, []post.Post{{Text: tt.other}})
			if tt.least == 0 {
				require.Empty(t, alike)
				return
			}
			require.Len(t, alike, 1)
			require.GreaterOrEqual(t, alike[0].Percent, tt.least)
			require.LessOrEqual(t, alike[0].Percent, 100)
		})
	}
}

func TestOneLetterIsLikeItselfOnly(t *testing.T) {
	t.Parallel()
	alike := post.Similar("字", []post.Post{{Text: "字"}, {Text: "宇"}, {Text: "字字"}})
	require.Len(t, alike, 1)
	require.Equal(t, 100, alike[0].Percent)
}

func TestTheMostAlikeComeFirst(t *testing.T) {
	t.Parallel()
	among := []post.Post{
		{ID: "d", Text: "the quick brown fox jumps over a dog and a cat"},
		{ID: "a", Text: "the quick brown fox jumps over the lazy dog"},
		{ID: "c", Text: "the quick brown fox jumps over the lazy dogs today"},
		{ID: "b", Text: "the quick brown fox jumps over the lazy dogs"},
	}
	var order []string
	for _, like := range post.Similar("the quick brown fox jumps over the lazy dog", among) {
		order = append(order, like.ID)
	}
	require.Equal(t, []string{"a", "b", "c"}, order)
}
