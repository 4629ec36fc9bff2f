package account

import (
	"net/mail"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"customerzero/internal/domain/problem"
)

const maxAddress = 254 // bytes; the SMTP's own limit

var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// Canonical gives the form in which an address is unique: lower-cased, its domain in ASCII.
// It takes plain addresses only, without a name, a comment or quotes around them.
func Canonical(address string) (string, error) {
	local, domain, ok := split(address)
	if !ok {
		return "", invalidAddress()
	}
	domain, err := domains.ToASCII(domain)
	if err != nil || !isPublic(domain) {
		return "", invalidAddress()
	}
	canonical := strings.ToLower(local) + "@" + domain
	if len(canonical) > maxAddress {
		return "", invalidAddress()
	}
	return canonical, nil
}

// split takes an address apart. What the parser reads must be what was written: anything
// else had quotes, a comment or a name.
func split(address string) (local, domain string, ok bool) {
	if len(address) > maxAddress || strings.ContainsFunc(address, unicode.IsControl) {
		return "", "", false
	}
	address = strings.Trim(address, " ")
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Name != "" || parsed.Address != address {
		return "", "", false
	}
	local, domain, ok = strings.Cut(address, "@")
	return local, domain, ok && isASCII(local)
}

// isASCII keeps out local parts that look alike without being the same, and that many
// servers do not take.
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// isPublic refuses names of this network and bare IP addresses, and a full stop at the end: other
// scripts have one that the parser does not take for one, and the address would have two forms.
func isPublic(domain string) bool {
	_, err := netip.ParseAddr(domain)
	return err != nil && strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".")
}

func invalidAddress() error {
	return problem.New(problem.Invalid, "This is not an e-mail address that we can write to. Use one like name@example.com.")
}
