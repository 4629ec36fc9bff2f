package member_test

import (
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
