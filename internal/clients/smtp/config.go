package smtp

import (
	"cmp"
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"time"
)

const (
	usualTimeout = 20 * time.Second
	usualName    = "Customer Zero"
	submission   = "587" // STARTTLS
	submissions  = "465" // TLS from the first byte
)

// Config says where the mail server is and who writes.
type Config struct {
	// URL is smtp://user:password@host:port, or smtps://…; a user is optional. Without
	// encryption letters go to this machine only, or where ?tls=none allows it: a container
	// beside us.
	URL       string
	From      string // left out: "Customer Zero <bot@HOST>", with the host of PublicURL
	PublicURL string
	Timeout   time.Duration // of all that sending one letter takes; 20 s when left out
}

// NewSender gives a sender. It connects when it is first used. Its errors do not repeat the
// settings: one of them is a password.
func NewSender(config Config) (*Sender, error) {
	public, err := url.Parse(config.PublicURL)
	if err != nil || public.Hostname() == "" {
		return nil, errors.New("mail: PUBLIC_URL is not a URL with a host")
	}
	s := &Sender{domain: mailDomain(public.Hostname()), timeout: config.Timeout, connect: (&net.Dialer{}).DialContext}
	if s.timeout <= 0 {
		s.timeout = usualTimeout
	}
	from := mail.Address{Name: usualName, Address: "bot@" + s.domain}
	s.from = cmp.Or(config.From, from.String())
	if _, err := mail.ParseAddress(s.from); err != nil {
		return nil, errors.New("mail: the sender is not an address like Name <name@example.com>")
	}
	if s.server, err = readServer(config.URL); err != nil {
		return nil, err
	}
	return s, nil
}

// mailDomain is the domain of our own addresses and IDs. A bare IP address has no place there.
func mailDomain(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return "localhost"
	}
	return host
}

// server is the mail server, and what it knows us by.
type server struct {
	host     string
	port     int
	implicit bool // TLS from the first byte
	plain    bool // ?tls=none
	user     *url.Userinfo
}

func readServer(raw string) (server, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return server{}, errors.New("mail: SMTP_URL is not smtp://user:password@host:port or smtps://user:password@host:port")
	}
	usual := submission
	if u.Scheme == "smtps" {
		usual = submissions
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), usual), 10, 16)
	if err != nil || port == 0 {
		return server{}, errors.New("mail: the port in SMTP_URL is not between 1 and 65535")
	}
	choice := u.Query().Get("tls")
	if choice != "" && (choice != "none" || u.Scheme == "smtps" || u.User != nil) {
		return server{}, errors.New("mail: the one choice in SMTP_URL is ?tls=none, for smtp:// without a user")
	}
	return server{host: u.Hostname(), port: int(port), implicit: u.Scheme == "smtps", plain: choice == "none", user: u.User}, nil
}

// isLoopback says whether what is sent to the server stays on this machine.
func (s server) isLoopback() bool {
	ip, err := netip.ParseAddr(s.host)
	return s.host == "localhost" || err == nil && ip.IsLoopback()
}
