package smtp

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// People are shown what came, as far as it can be shown: a letter is never lost, and never more
// than was sent.
func FuzzParse(f *testing.F) {
	for _, letter := range []string{
		"", "hello", "Subject: hi\r\n\r\nthere", "Subject: =?utf-8?q?h=C3=A9?=\r\nFrom: a@b.c\r\n\r\n",
		"Subject: =?latin-9?b?!!?=\r\nContent-Type: text/html; charset=klingon\r\n\r\n<p>",
		"Content-Type: multipart/alternative; boundary=x\r\n\r\n--x\r\n\r\ntext\r\n--x\r\nContent-Type: text/html\r\n\r\n<b>html\r\n--x--\r\n",
		"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\n\r\ninner\r\n--y--\r\n--x--\r\n",
		"Content-Type: multipart/mixed\r\n\r\n--\r\n", "Content-Transfer-Encoding: base64\r\n\r\n!!!!", "Content-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ=\r\n",
		"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Disposition: attachment\r\n\r\nsecret\r\n--x--", "A\r\n: b\r\n\r\nc", "\xff\xfe: \x00\r\n\r\n",
	} {
		f.Add(letter)
	}
	f.Fuzz(func(t *testing.T, letter string) {
		m := parse([]byte(letter))
		require.True(t, utf8.ValidString(m.Text) && utf8.ValidString(m.HTML))
		require.LessOrEqual(t, len(m.Text)+len(m.HTML), 3*len(letter)+16, "a byte that is no text becomes three")
		require.Equal(t, m.Subject, m.Headers["Subject"])
		_, err := json.Marshal(m)
		require.NoError(t, err)
	})
}
