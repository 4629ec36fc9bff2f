package account

import (
	"net/mail"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"customerzero/internal/domain/problem"
)

const maxAddress = 254 // bytes; the SMTP limit

var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// Canonical returns the unique form of an email address: lower case, with an ASCII domain. Names,
// comments and quotes are not accepted.
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

// split separates an address into local part and domain. The parsed address must equal the input, which
// excludes quotes, comments and names.
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

// isASCII rejects local parts with lookalike characters, which many servers do not accept.
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// isPublic rejects local names, IP addresses and a trailing dot; some scripts have a dot that the parser
// does not recognize, which would give the address two forms.
func isPublic(domain string) bool {
	_, err := netip.ParseAddr(domain)
	return err != nil && strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".")
}

func invalidAddress() error {
	return problem.New(problem.Invalid, "Invalid email address. Use one like name@example.com.")
}
