package stripe

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzMayPayAt checks that buyers are only ever sent to an allowed host.
func FuzzMayPayAt(f *testing.F) {
	for _, page := range []string{
		"https://checkout.stripe.com/c/pay/cs_1#x", "http://checkout.stripe.com/", "https://checkout.stripe.com.evil.example/", "https://checkout.stripe.com@evil.example/", "https://evil.example/https://checkout.stripe.com",
		"https://checkout.stripe.com:8443/", "//checkout.stripe.com/", "https:checkout.stripe.com", "https:///checkout.stripe.com", `https://checkout.stripe.com\.evil.example/`, "https://CHECKOUT.stripe.com/", "javascript:alert(1)",
		"http://localhost:4242/pay/cs_1", "http://127.0.0.1:4242/", "https://checkout.stripe.com%2eevil.example/", "https://checkout.stripe.com\t.evil.example", "https://checkout\u3002stripe.com", "https://checkout.\u017ftripe.com/",
	} {
		f.Add(page)
	}
	c := &Client{config: Config{PayHosts: []string{"checkout.stripe.com", "localhost:4242", ""}}}
	f.Fuzz(func(t *testing.T, page string) {
		if !c.mayPayAt(page) {
			return
		}
		u, err := url.Parse(page)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Regexp(t, `\A(?i:https://checkout\.stripe\.com(:[0-9]*)?|https?://localhost:4242)\z`, u.Scheme+"://"+u.Host)
		require.False(t, strings.ContainsAny(page, "\t\r\n\x00"), "%q", page)
		require.Negative(t, strings.IndexFunc(u.Host, func(r rune) bool { return r > 0x7f }), "browsers read %q differently", page)
	})
}
