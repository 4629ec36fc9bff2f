package smtp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	netsmtp "net/smtp"
	"net/textproto"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestALetterIsKeptAsItCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	raw := letter("one", "=?utf-8?q?Caf=C3=A9?=", "Hello\r\nyou", "<b>Hello</b>")
	require.NoError(t, w.send(raw, "ada@example.com", "Bob@example.com"))
	m := w.sandbox.Messages()[0]
	require.NotEmpty(t, m.ID)
	m.ID = ""
	require.Equal(t, Message{
		At: noon, From: "bot@example.com", To: []string{"ada@example.com", "Bob@example.com"},
		Subject: "Café", Text: "Hello\nyou", HTML: "<b>Hello</b>", Copies: 1,
		Headers: map[string]string{
			"From": "Customer Zero <bot@example.com>", "To": "ada@example.com", "Subject": "Café", "Message-ID": "<one@example.com>",
		},
	}, m)
}

func TestCopiesOfALetter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		second string
		to     string
		copies []int
	}{
		"the same letter again is counted":      {letter("one", "again", "t", "h"), "ada@example.com", []int{2}},
		"another Message-ID is another letter":  {letter("two", "first", "t", "h"), "ada@example.com", []int{1, 1}},
		"another recipient has another letter":  {letter("one", "first", "t", "h"), "bob@example.com", []int{1, 1}},
		"no Message-ID is another letter":       {"Subject: first\r\n\r\nt", "ada@example.com", []int{1, 1}},
		"what is no letter is another one, too": {"no letter", "ada@example.com", []int{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			require.NoError(t, w.send(letter("one", "first", "t", "h"), "ada@example.com"))
			require.NoError(t, w.send(tt.second, tt.to))
			var copies []int
			for _, m := range w.sandbox.Messages() {
				copies = append(copies, m.Copies)
			}
			require.Equal(t, tt.copies, copies)
			require.Equal(t, "first", w.sandbox.Messages()[len(copies)-1].Subject, "the first one stays as it came")
		})
	}
}

func TestTheNewestLettersAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Keep = 2 })
	w.number(3)
	messages := w.sandbox.Messages()
	require.Len(t, messages, 2)
	require.Equal(t, "Letter 2", messages[0].Subject)
	require.Equal(t, "Letter 1", messages[1].Subject)
}

func TestWhatTheSandboxRefuses(t *testing.T) {
	t.Parallel()
	six := strings.Split(strings.Repeat("ada@example.com,", 5)+"bob@example.com", ",")
	for name, tt := range map[string]struct {
		to   []string
		raw  string
		code int
	}{
		"an address that bounces":   {[]string{"Bounce@example.com"}, "", 550},
		"a sixth recipient":         {six, "", 452},
		"a letter of over 1 MB":     {[]string{"ada@example.com"}, strings.Repeat(strings.Repeat("a", 98)+"\r\n", 1<<20/100+1), 552},
		"a good one, a bad address": {[]string{"ada@example.com", "bounce@example.com"}, "", 550},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			require.Equal(t, tt.code, code(t, w.send(letter("one", "s", "t", "h")+tt.raw, tt.to...)))
			require.Empty(t, w.sandbox.Messages())
		})
	}
}

func code(t *testing.T, err error) int {
	t.Helper()
	var refused *textproto.Error
	require.ErrorAs(t, err, &refused)
	return refused.Code
}

func TestAnyCredentialsWillDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	auth := netsmtp.PlainAuth("", "anybody", "anything", "127.0.0.1")
	require.NoError(t, netsmtp.SendMail(w.address, auth, "bot@example.com", []string{"ada@example.com"}, []byte("Subject: x\r\n\r\n")))
	require.Len(t, w.sandbox.Messages(), 1)

	auth = netsmtp.CRAMMD5Auth("anybody", "anything")
	err := netsmtp.SendMail(w.address, auth, "bot@example.com", []string{"ada@example.com"}, []byte("Subject: x\r\n\r\n"))
	require.Equal(t, 504, code(t, err))
}

func TestFaultsAreCountedDown(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		faults Faults
		codes  []int
	}{
		"letters are refused twice":        {Faults{Times: 2, Code: 451}, []int{451, 451, 0}},
		"a letter is refused for good":     {Faults{Times: 1, Code: 554, On: OnData}, []int{554, 0, 0}},
		"recipients are refused, one only": {Faults{Times: 1, Code: 450, On: OnRcpt}, []int{450, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			require.NoError(t, w.sandbox.SetFaults(tt.faults))
			for i, want := range tt.codes {
				err := w.send(letter(fmt.Sprint(i), "s", "t", "h"), "ada@example.com")
				if want == 0 {
					require.NoError(t, err)
					continue
				}
				require.Equal(t, want, code(t, err))
			}
			require.Zero(t, w.sandbox.left().Times)
		})
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	sandbox := New(Config{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, sandbox.Close())
	require.NoError(t, sandbox.Close(), "twice is as good as once")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, sandbox.Serve(listener), "too late to serve")
	_, err = listener.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

// Proves: F37, V16.2.5
func TestLettersAreNotLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWorld(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	require.NoError(t, w.send(letter("one", "the subject", "123456", "<b>123456</b>"), "ada@example.com"))
	discreetLog{w.sandbox.config.Log}.Printf("panic serving %v: %v", "ada@example.com", "123456")
	require.NoError(t, w.sandbox.Close())
	require.Contains(t, out.String(), "a letter came")
	require.Contains(t, out.String(), "panic serving")
	for _, secret := range []string{"ada", "123456", "the subject"} {
		require.NotContains(t, out.String(), secret)
	}
}

func TestFaultsThatCannotBeSet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.sandbox.SetFaults(Faults{Times: 1, Code: 451}))
	require.Contains(t, w.get("/sandbox/mail").body, "451 for letters, 1 more time.")
	for name, faults := range map[string]Faults{
		"an unknown command": {Times: 1, Code: 451, On: "helo"},
		"never":              {Code: 451},
		"a negative number":  {Times: -1, Code: 451},
		"far too often":      {Times: 1001, Code: 451},
		"a welcome":          {Times: 1, Code: 250},
		"no code":            {Times: 1},
		"a long code":        {Times: 1, Code: 4510},
	} {
		require.Error(t, w.sandbox.SetFaults(faults), name)
		require.Equal(t, Faults{Times: 1, Code: 451, On: OnData}, w.sandbox.left(), "the old ones stay")
	}
	require.NoError(t, w.sandbox.SetFaults(Faults{}))
	require.NoError(t, w.send(letter("one", "s", "t", "h"), "ada@example.com"))
}

// People are shown what came, as far as it can be shown: an email is never lost, and never more
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
