package member_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

func TestParseUsername(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"ada": "ada", "@Ada": "Ada", "  @a_1 ": "a_1", "abcdefghijklmno": "abcdefghijklmno",
	} {
		name, err := member.ParseUsername(given)
		require.NoError(t, err)
		require.Equal(t, want, name)
	}
	for _, bad := range []string{"", "@", "@@ada", "a b", "abcdefghijklmnop", "а", "ada!", "../x"} {
		_, err := member.ParseUsername(bad)
		require.Equal(t, problem.Invalid, problem.CodeOf(err), bad)
	}
	require.Equal(t, member.Key("ADA"), member.Key("ada"))
}

// FuzzParseUsername checks that accepted names are valid on X and parse to themselves.
func FuzzParseUsername(f *testing.F) {
	for _, typed := range []string{"ada", "@ada", " @Ada\n", "@@ada", "", "@", "a da", "аda", "\u212aay", "ada\x00", strings.Repeat("a", 16), "a\u0301", "_", "0", "ada\n@"} {
		f.Add(typed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		name, err := member.ParseUsername(typed)
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			require.Empty(t, name)
			return
		}
		require.Regexp(t, `\A[A-Za-z0-9_]{1,15}\z`, name)
		again, err := member.ParseUsername("@" + name)
		require.NoError(t, err)
		require.Equal(t, name, again)
		require.Len(t, member.Key(name), len(name))
		require.Equal(t, member.Key(name), member.Key(strings.ToUpper(name)))
	})
}
