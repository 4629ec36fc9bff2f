package smtp

import (
	"bytes"
	"maps"
	"net/mail"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
)

// Whatever stands in a fact, a letter goes to one person, says no header of somebody else's, and
// its HTML has no part that its template has not.
func FuzzLetter(f *testing.F) {
	for _, fact := range []string{
		"Ada", "", "a\r\nBcc: eve@example.com", "a\n\nAnother body", "=?utf-8?q?=0ABcc:_eve@example.com?=", "<script>alert(1)</script>", "\x00\x1b[2J", "\u2028\u2029\u0085",
		"https://evil.example/\"><a href=", "{{.Code}}", "\xff\xfe", "a\u202eb", "--boundary", "javascript:alert(1)",
	} {
		f.Add(fact, uint8(0), "ada@example.com")
		f.Add(fact, uint8(7), "ada@example.com")
	}
	f.Add("x", uint8(1), "ada@example.com>\r\nBcc: <eve@example.com")
	f.Add("x", uint8(1), "Ada <ada@example.com>, eve@example.com")
	sender, err := NewSender(Config{URL: "smtp://127.0.0.1:1", PublicURL: "https://zero.example.com"})
	require.NoError(f, err)
	kinds := email.Kinds()
	f.Fuzz(func(t *testing.T, fact string, which uint8, to string) {
		kind := kinds[int(which)%len(kinds)]
		l := letterOf(kind, func(l *Letter) { l.To = to })
		l.Facts = maps.Clone(l.Facts)
		for name := range l.Facts {
			l.Facts[name] = fact
		}
		m, err := sender.message(l)
		if err != nil {
			return
		}
		var raw bytes.Buffer
		_, err = m.WriteTo(&raw)
		require.NoError(t, err)
		read, err := mail.ReadMessage(bytes.NewReader(raw.Bytes()))
		require.NoError(t, err)
		require.Empty(t, slices.DeleteFunc(slices.Sorted(maps.Keys(read.Header)), isOurs), "headers of somebody else's")
		people, err := read.Header.AddressList("To")
		require.NoError(t, err)
		require.Len(t, people, 1)
		for name, values := range read.Header {
			require.Len(t, values, 1, name)
		}
	})
}

// isOurs says whether the product itself writes such a header.
func isOurs(name string) bool {
	return slices.Contains([]string{
		"From", "To", "Subject", "Date", "Message-Id", "Mime-Version", "Auto-Submitted", "List-Unsubscribe", "List-Unsubscribe-Post", "Content-Type", "Content-Transfer-Encoding",
	}, name)
}
