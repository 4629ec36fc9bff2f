package telemetry

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is told of an address is neither who asks nor what for.
func FuzzBare(f *testing.F) {
	for _, address := range []string{
		"https://user:secret-word@example.com/a?token=secret-word#secret-word", "https://example.com/?secret-word", "//secret-word@example.com", "mailto:secret-word@example.com", "https://example.com/%zz?secret-word", "",
		"https://[::1%25eth0]/", "example.com:80?secret-word", "http://a b/", "data:text/plain,secret-word",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		told := bare(address)
		u, err := url.Parse(told)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Empty(t, u.RawQuery)
		require.Empty(t, u.Fragment)
		require.False(t, strings.ContainsAny(told, "?#"), told)
	})
}
