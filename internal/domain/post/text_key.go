package post

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

var anyScheme = regexp.MustCompile(`(?i:https?://)`)

// Canonical gives one form to a text and to what X shows of it, so that a post can be
// found on the timeline. X adds schemes to links and tidies white space, and may spell a
// host its own way; so schemes go, hosts have their lower-case ASCII form and no slash
// behind them, and any white space is one blank.
func Canonical(text string) string {
	text = withoutSchemes(strings.Join(strings.Fields(norm.NFC.String(text)), " "))
	var out strings.Builder
	written := 0
	for _, c := range candidates(text) {
		out.WriteString(text[written:c.domain])
		out.WriteString(asciiDomain(foldDomain(text[c.domain:c.domainEnd])))
		out.WriteString(strings.TrimRight(text[c.domainEnd:c.end], "/"))
		written = c.end
	}
	out.WriteString(text[written:])
	return norm.NFC.String(out.String())
}

// withoutSchemes takes schemes away everywhere: behind some characters X links a domain
// that it would not link again with the scheme that it shows.
func withoutSchemes(text string) string {
	for anyScheme.MatchString(text) {
		text = norm.NFC.String(anyScheme.ReplaceAllLiteralString(text, ""))
	}
	return text
}

// TextKey is the same for two texts that could be taken for one another on the timeline.
func TextKey(text string) string {
	sum := sha256.Sum256([]byte(Canonical(text)))
	return hex.EncodeToString(sum[:])
}
