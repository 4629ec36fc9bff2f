package verification

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// canonical is the one way to write an origin: in small letters, a name in ASCII, without the
// port that its scheme has anyway. It is empty for what is no origin. An address is compared
// letter by letter, so nothing that only some programs read as ours gets through.
func canonical(scheme, authority string) string {
	scheme, authority = lower(scheme), lower(authority)
	port, known := defaultPorts[scheme]
	if !known || authority == "" || strings.ContainsAny(authority, "%@") {
		return ""
	}
	if bare, found := strings.CutSuffix(authority, ":"+port); found && !hasPort(bare) {
		authority = bare
	}
	if ascii(authority) {
		return scheme + "://" + authority
	}
	host, number, cut := strings.Cut(authority, ":")
	// Registration maps nothing: digits of full width and dots of other scripts are errors.
	name, err := idna.Registration.ToASCII(host)
	if err != nil {
		return ""
	}
	if cut {
		name += ":" + number
	}
	return scheme + "://" + name
}

// hasPort leaves the colons of an IPv6 address alone.
func hasPort(authority string) bool {
	return strings.Contains(authority[strings.LastIndex(authority, "]")+1:], ":")
}

// lower leaves all but ASCII alone: there are letters of other scripts that become an ASCII
// one in small.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// refused never repeats what was asked for.
func refused(origins []string) error {
	if len(origins) == 0 {
		return problem.New(problem.URLRefused, "No page may be looked at.")
	}
	return problem.New(problem.URLRefused, "Only pages of %s may be looked at.", target.List(origins))
}
