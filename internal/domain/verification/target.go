package verification

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Target is a page that may be looked at.
type Target struct {
	URL  string // as it is opened: the origin as we write it, and the path
	Path string // the route, without query and fragment; of another site than our own with its origin
}

// LongestPath is how long a path with its query may be, in characters as they are sent.
const LongestPath = 2048

// ParseTarget reads what somebody wants looked at. Only pages of the origins may be, which are like
// https://example.com, the first is our own; a path alone, or nothing, is a page of that one.
// The origin must be written as it is known: no name is resolved here, and no other way to
// write an address is understood. Anything else is refused with URLRefused.
func ParseTarget(raw string, origins []string) (Target, error) {
	raw = strings.Trim(raw, " ")
	if len(origins) == 0 || !plain(raw) {
		return Target{}, refused(origins)
	}
	origin, page := origins[0], raw
	if raw != "" && raw[0] != '/' {
		origin, page = whole(raw, origins)
	} else if strings.HasPrefix(raw, "//") {
		origin = "" // another host, in the scheme of the page that links to it
	}
	route, query, ok := split(page)
	if origin == "" || !ok {
		return Target{}, refused(origins)
	}
	target := Target{URL: strings.TrimSuffix(origin, "/") + route, Path: route}
	if origin != origins[0] {
		target.Path = target.URL // its looks are approved apart from ours
	}
	target.URL += query
	return target, nil
}

// whole takes a whole address apart: the origin as we write it, empty when it is none of
// ours, and the rest.
func whole(raw string, origins []string) (origin, page string) {
	scheme, rest, _ := strings.Cut(raw, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	asked := canonical(scheme, rest[:end])
	for _, known := range origins {
		scheme, authority, _ := strings.Cut(strings.TrimSuffix(known, "/"), "://")
		if asked != "" && asked == canonical(scheme, authority) {
			return known, rest[end:]
		}
	}
	return "", ""
}

// split cleans a path as a browser does, dots that are hidden in percents included, so that a
// page has one name only. The fragment goes, and the query stays as it is.
func split(page string) (route, query string, ok bool) {
	page, _, _ = strings.Cut(page, "#")
	escaped, query, _ := strings.Cut(page, "?")
	if query != "" {
		query = "?" + query
	}
	decoded, err := url.PathUnescape(escaped)
	if err != nil || !utf8.ValidString(decoded) || strings.ContainsFunc(decoded, hidden) {
		return "", "", false
	}
	clean := url.URL{Path: path.Clean("/" + decoded)}
	route = clean.EscapedPath()
	return route, query, len(route)+utf8.RuneCountInString(query) <= LongestPath
}

// plain says whether a text has no character that programs read in two ways.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return hidden(r) || unicode.IsSpace(r)
	})
}

// hidden are characters that nobody sees, and the one that browsers take for a slash.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\\'
}

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
