package account

import (
	"encoding/base64"
	"net/mail"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ address, want string }{
		"a plain one stays as it is":        {"ada@example.com", "ada@example.com"},
		"capitals make no difference":       {"Ada.Lovelace@EXAMPLE.Com", "ada.lovelace@example.com"},
		"blanks around it do not count":     {"  ada@example.com ", "ada@example.com"},
		"a tag is part of it":               {"ada+zero@example.com", "ada+zero@example.com"},
		"a domain in another script":        {"ada@Bücher.example", "ada@xn--bcher-kva.example"},
		"the same in ASCII":                 {"ada@XN--bcher-KVA.example", "ada@xn--bcher-kva.example"},
		"full-width letters are normalized": {"ada@ｅｘａｍｐｌｅ.com", "ada@example.com"},
		"as long as SMTP allows":            {strings.Repeat("a", 242) + "@example.com", strings.Repeat("a", 242) + "@example.com"},
		"odd, but allowed without quotes":   {"o'neil_&-1@example.co.uk", "o'neil_&-1@example.co.uk"},
	} {
		t.Run(name, func(t *testing.T) {
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
			_, err := Canonical(address)
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			require.Equal(t, "Invalid email address. Use one like name@example.com.", err.Error())
		})
	}
}

// FuzzCanonical checks that canonical addresses are stable and valid.
func FuzzCanonical(f *testing.F) {
	for _, address := range []string{
		"ada@example.com", " Ada@EXAMPLE.com ", "ada@bücher.example", "ada@xn--bcher-kva.example", "a\"b@example.com", `"a b"@example.com`, "Ada <ada@example.com>",
		"ada@localhost", "ada@127.0.0.1", "ada@[127.0.0.1]", "ada(x)@example.com", "ada@example.com.", "ada@@example.com", "a@b@c.de", "ada@exam\u200bple.com", "K@example.com",
		"ada@example。com", "ada@ⓔxample.com", "ada@example.com\r\nBcc: b@c.de", strings.Repeat("a", 250) + "@b.de", "a@" + strings.Repeat("b.", 120) + "de", "ada@-a.de", "ada+tag@example.com",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		canonical, err := Canonical(address)
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			require.Equal(t, invalidAddress().Error(), err.Error(), "nothing of it is repeated")
			return
		}
		again, err := Canonical(canonical)
		require.NoError(t, err)
		require.Equal(t, canonical, again)
		require.LessOrEqual(t, len(canonical), maxAddress)
		require.Equal(t, strings.ToLower(canonical), canonical)
		require.False(t, strings.ContainsFunc(canonical, func(r rune) bool { return r > unicode.MaxASCII || r <= ' ' || r == '<' || r == '>' }), "%q", canonical)
		read, err := mail.ParseAddress(canonical)
		require.NoError(t, err)
		require.Equal(t, canonical, read.Address)
	})
}

// FuzzReadCode checks that accepted codes have exactly 6 digits.
func FuzzReadCode(f *testing.F) {
	for _, typed := range []string{"123456", "123 456", "12-34-56", "１２３４５６", "12345", "1234567", "", "      ", "12345\x00", "-1 2 3 4 5 6-"} {
		f.Add(typed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		code, ok := ReadCode(typed)
		require.Equal(t, ok, len(code) == codeDigits)
		require.Empty(t, strings.Trim(code, "0123456789"))
		if ok {
			again, ok := ReadCode(code)
			require.True(t, ok)
			require.Equal(t, code, again)
		}
	})
}

// FuzzIsToken checks that every token has exactly one encoding.
func FuzzIsToken(f *testing.F) {
	token := strings.Repeat("Ab-_", 10) + "Abc"
	for _, text := range []string{token, token + "=", token[:42], strings.ReplaceAll(token, "-", "+"), token[:42] + "d", token + "\n", token[:20] + "\r\n" + token[20:]} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !IsToken(text) {
			return
		}
		require.Len(t, text, 43)
		require.Regexp(t, `\A[A-Za-z0-9_-]{43}\z`, text)
	})
}

// Proves: V7.2.3
func TestV7_2_3_TokensHave256RandomBits(t *testing.T) {
	t.Parallel()
	const made = 10_000
	seen, ones := map[string]bool{}, [tokenBytes * 8]int{}
	for range made {
		token := NewToken()
		require.Len(t, token, 43)
		require.True(t, IsToken(token))
		seen[token] = true
		secret, err := base64.RawURLEncoding.DecodeString(token)
		require.NoError(t, err)
		for bit := range ones {
			ones[bit] += int(secret[bit/8]>>(bit%8)) & 1
		}
	}
	require.Len(t, seen, made, "none comes twice")
	for bit, n := range ones { // of a fair coin, one in 10^88 is outside
		require.InDelta(t, made/2, n, made/10, "bit %d is %d times set", bit, n)
	}
}

// Proves: V7.2.3
func TestV7_2_3_WrongFormatIsNoToken(t *testing.T) {
	t.Parallel()
	good := NewToken()
	for name, token := range map[string]string{
		"nothing":                      "",
		"a sign less":                  good[:42],
		"a sign more":                  good + "A",
		"padded":                       good + "=",
		"the alphabet of plain base64": "+/" + good[2:],
		"a last sign with stray bits":  good[:42] + "_",
		"a blank at the end":           good[:42] + " ",
		"a line break inside":          good[:20] + "\n" + good[21:],
		"a NUL":                        good[:42] + "\x00",
		"its stored form":              Hash(good),
		"a megabyte":                   strings.Repeat("A", 1<<20),
	} {
		require.False(t, IsToken(token), name)
	}
}

// Proves: V7.2.3
func TestV7_2_3_CodesAreSixRandomDigits(t *testing.T) {
	t.Parallel()
	const made = 20_000
	seen, first := map[string]bool{}, map[byte]int{}
	for range made {
		code := RandomCode()
		require.Regexp(t, `^[0-9]{6}$`, code)
		seen[code] = true
		first[code[0]]++
	}
	require.Greater(t, len(seen), made*95/100, "of a million few come twice")
	for digit := byte('0'); digit <= '9'; digit++ {
		require.InDelta(t, made/10, first[digit], made/50, "a leading %c", digit)
	}
}

// Proves: V7.2.3
func TestV7_2_3_OnlyADigestIsStored(t *testing.T) {
	t.Parallel()
	token := NewToken()
	require.Len(t, Hash(token), 64)
	require.NotContains(t, Hash(token), token)
	require.NotEqual(t, Hash(token), Hash(NewToken()))
}

func TestALoginIsFreshForTenMinutes(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	session := Session{CreatedAt: begun}
	require.True(t, session.Fresh(begun.Add(FreshFor-time.Microsecond)))
	require.False(t, session.Fresh(begun.Add(FreshFor)))
}
