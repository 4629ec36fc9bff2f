package account

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ address, want string }{
		"a plain one stays as it is":      {"ada@example.com", "ada@example.com"},
		"capitals make no difference":     {"Ada.Lovelace@EXAMPLE.Com", "ada.lovelace@example.com"},
		"blanks around it do not count":   {"  ada@example.com ", "ada@example.com"},
		"a tag is part of it":             {"ada+zero@example.com", "ada+zero@example.com"},
		"a domain of other letters":       {"ada@Bücher.example", "ada@xn--bcher-kva.example"},
		"the same in ASCII":               {"ada@XN--bcher-KVA.example", "ada@xn--bcher-kva.example"},
		"wide letters are the narrow":     {"ada@ｅｘａｍｐｌｅ.com", "ada@example.com"},
		"as long as SMTP allows":          {strings.Repeat("a", 242) + "@example.com", strings.Repeat("a", 242) + "@example.com"},
		"odd, but allowed without quotes": {"o'neil_&-1@example.co.uk", "o'neil_&-1@example.co.uk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Canonical(tt.address)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			again, err := Canonical(got)
			require.NoError(t, err)
			require.Equal(t, got, again, "it is its own canonical form")
		})
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"nothing":                    "",
		"no domain":                  "ada@",
		"no local part":              "@example.com",
		"no @":                       "ada.example.com",
		"two @":                      "ada@eve@example.com",
		"a display name":             "Ada <ada@example.com>",
		"angle brackets":             "<ada@example.com>",
		"a comment":                  "ada@example.com (Ada)",
		"a comment inside":           "ada(x)@example.com",
		"quotes":                     `"ada"@example.com`,
		"quotes around an @":         `"ada@eve"@example.com`,
		"a blank inside":             "ada lovelace@example.com",
		"two of them":                "ada@example.com,eve@example.com",
		"a group":                    "all:ada@example.com;",
		"a line break":               "ada@example.com\r\nBcc: eve@example.com",
		"a line break at the end":    "ada@example.com\n",
		"a NUL":                      "ada@example.com\x00",
		"a local part of any letter": "аda@example.com", // a Cyrillic а
		"two dots":                   "ada..b@example.com",
		"a dot at the end":           "ada@example.com.",
		"a name of this network":     "ada@localhost",
		"an IP address":              "ada@127.0.0.1",
		"an IP address, in brackets": "ada@[127.0.0.1]",
		"an underscore in a domain":  "ada@exa_mple.com",
		"a dash before a domain":     "ada@-example.com",
		"a label that is too long":   "ada@" + strings.Repeat("a", 64) + ".com",
		"a byte too long":            strings.Repeat("a", 243) + "@example.com",
		"too long once it is ASCII":  strings.Repeat("a", 229) + "@日本語.example.com",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Canonical(address)
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			require.Equal(t, "This is not an e-mail address that we can write to. Use one like name@example.com.", err.Error())
		})
	}
}
