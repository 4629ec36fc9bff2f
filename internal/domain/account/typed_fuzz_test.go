package account

import (
	"net/mail"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

// An address has one form in which it is unique, and a letter can be sent to it.
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

// What somebody types is six digits or nothing.
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

// A token has one spelling: whoever changes a sign of it has another, or none.
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
