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

// Target is a page that may be checked.
type Target struct {
	URL  string // as opened: the configured origin and the path
	Path string // without query and fragment; includes the origin unless it is the first
}

// LongestPath is the maximum length of path and query, in characters as sent.
const LongestPath = 2048

// ParseTarget parses a URL, or a path on the first origin, and accepts only pages of the origins (such as
// https://example.com). The origin must be written in its known form: names are not resolved and
// alternative spellings of addresses are not accepted. Everything else is refused with URLRefused.
func ParseTarget(raw string, origins []string) (Target, error) {
	raw = strings.Trim(raw, " ")
	if len(origins) == 0 || !plain(raw) {
		return Target{}, refused(origins)
	}
	origin, page := origins[0], raw
	if raw != "" && raw[0] != '/' {
		origin, page = absolute(raw, origins)
	} else if strings.HasPrefix(raw, "//") {
		origin = "" // protocol-relative URL
	}
	route, query, ok := split(page)
	if origin == "" || !ok || origin == origins[0] && !isPublic(route) {
		return Target{}, refused(origins)
	}
	target := Target{URL: strings.TrimSuffix(origin, "/") + route, Path: route}
	if origin != origins[0] {
		target.Path = target.URL // its baselines are separate
	}
	target.URL += query
	return target, nil
}

// IsPage reports whether the browser may show a URL: one of another site, or a public page of the first origin.
func IsPage(address string, origins []string) bool {
	if ours, _ := absolute(address, origins[:1]); ours == "" {
		return true
	}
	_, err := ParseTarget(address, origins)
	return err == nil
}

// notPages are the first parts of the paths that are no public pages: they are for programs, or show what is one
// user's. Screenshots are public.
var notPages = map[string]bool{
	"api": true, "auth": true, "sandbox": true, "webhooks": true, "feeds": true, "metrics": true, "healthz": true, "readyz": true,
	"tweet": true, "account": true, "credentials": true, "receipts": true, "unsubscribe": true, "assets": true,
	"openapi.json": true, "openapi.yaml": true, "openapi-3.0.json": true, "openapi-3.0.yaml": true,
}

func isPublic(route string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(route, "/"), "/")
	return !notPages[strings.ToLower(first)]
}

// absolute splits an absolute URL into the configured origin, empty if not allowed, and the rest.
func absolute(raw string, origins []string) (origin, page string) {
	scheme, rest, _ := strings.Cut(raw, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	requested := canonical(scheme, rest[:end])
	for _, known := range origins {
		scheme, authority, _ := strings.Cut(strings.TrimSuffix(known, "/"), "://")
		if requested != "" && oneLoopback(requested) == oneLoopback(canonical(scheme, authority)) {
			return known, rest[end:]
		}
	}
	return "", ""
}

// split normalizes a path as browsers do, including percent-encoded dots, so that each page has one name.
// It drops the fragment and keeps the query.
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

// plain reports whether a text has no character that parsers interpret differently.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return hidden(r) || unicode.IsSpace(r)
	})
}

// hidden reports invisible characters and the backslash, which browsers treat as a slash.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\\'
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// canonical normalizes an origin: lower case, ASCII host, no default port. It is empty if the origin is
// invalid. Addresses are compared literally, so no alternative spelling is accepted.
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

// oneLoopback gives localhost and 127.0.0.1 one spelling: users may have opened our pages under either.
func oneLoopback(origin string) string {
	scheme, authority, _ := strings.Cut(origin, "://")
	if port, is := strings.CutPrefix(authority, "localhost"); is && (port == "" || port[0] == ':') {
		return scheme + "://127.0.0.1" + port
	}
	return origin
}

// hasPort ignores the colons of an IPv6 address.
func hasPort(authority string) bool {
	return strings.Contains(authority[strings.LastIndex(authority, "]")+1:], ":")
}

// lower lowercases ASCII only: some letters of other scripts become ASCII in lower case.
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

// refused does not repeat the input.
func refused(origins []string) error {
	if len(origins) == 0 {
		return problem.New(problem.URLRefused, "No pages can be checked.")
	}
	return problem.New(problem.URLRefused, "Only pages of %s can be checked.", target.List(origins))
}
