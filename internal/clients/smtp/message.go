package smtp

import (
	"net/url"
	"regexp"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"customerzero/internal/domain/account"
)

const maxID = 128

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// message makes a letter ready to be sent. All of its errors are permanent failures.
func (s *Sender) message(l Letter) (*gomail.Msg, error) {
	if !validID.MatchString(l.ID) || len(l.ID) > maxID {
		return nil, malformed("its ID is not letters, digits, -, _ and inner dots.")
	}
	if l.Kind.Optional() && !isWebURL(l.Unsubscribe) {
		return nil, malformed("one may unsubscribe from its kind, and the link for it is missing.")
	}
	to, err := account.Canonical(l.To)
	if err != nil {
		return nil, malformed("its address is not one that we can write to.")
	}
	words, err := compose(l)
	if err != nil {
		return nil, err
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if m.From(s.from) != nil || m.To(to) != nil {
		return nil, malformed("its addresses are not understood.")
	}
	m.Subject(words.subject)
	m.SetDate()
	m.SetMessageIDWithValue(l.ID + "@" + s.domain)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	if l.Kind.Optional() {
		m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+l.Unsubscribe+">")
		m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click") // RFC 8058
	}
	m.SetBodyString(gomail.TypeTextPlain, words.text)
	m.AddAlternativeString(gomail.TypeTextHTML, words.html)
	return m, nil
}

// isWebURL takes URLs that are safe between the brackets of a header, too.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '<' || r == '>' })
}
