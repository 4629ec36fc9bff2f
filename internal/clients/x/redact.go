package x

import (
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dghubble/oauth1"
)

const hidden = "…"

// knownSecrets hides secrets by their values, should X ever repeat them, in whatever way
// it may write them.
func knownSecrets(secrets ...string) *strings.Replacer {
	var forms []string
	for _, secret := range secrets {
		forms = append(forms, formsOf(secret)...)
		forms = append(forms, formsOf(strings.TrimSpace(secret))...)
	}
	// The longest first: a secret may begin with another.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, form := range forms {
		if form != "" {
			pairs = append(pairs, form, hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}

// formsOf gives the ways to write a value: as it is, in a URL, a signature, a page, JSON.
func formsOf(s string) []string {
	signed := oauth1.PercentEncode(s)
	quoted, _ := json.Marshal(s) // a string always can be
	return []string{
		s, url.QueryEscape(s), url.PathEscape(s), signed, oauth1.PercentEncode(signed),
		html.EscapeString(s), string(quoted[1 : len(quoted)-1]),
	}
}

// unknownSecret finds the value behind a name that sounds like a secret's: in a form, a
// header, JSON (also within JSON, or a web page) or XML.
var unknownSecret = regexp.MustCompile(`(?i)([\w.-]*(?:token|secret|verifier|signature|nonce|password|credential|key)[\w.-]*` +
	`(?:\\*["']|&quot;|&#34;|%22)?\s*(?:=|:|>|%3D|%3A)\s*(?:&quot;|&#34;)?)` +
	`(?:\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'[^']*'?|\[[^\]]*\]?|\{[^}]*\}?|[^\s&;,"'<>{}\]]+)`)

// scheme finds the value of an Authorization header.
var scheme = regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[^\s",;<>]+`)

// redact hides what is secret in an answer: the values we know, and what is named like one.
func redact(text string, secrets *strings.Replacer) string {
	text = unknownSecret.ReplaceAllString(secrets.Replace(text), "${1}"+hidden)
	return scheme.ReplaceAllString(text, "${1}"+hidden)
}
