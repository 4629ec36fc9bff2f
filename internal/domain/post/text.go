package post

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"customerzero/internal/domain/problem"
)

const (
	// MaxWeight is X's maximum length of a post.
	MaxWeight = 280

	urlWeight   = 23 // X replaces every link by a t.co link
	emojiWeight = 2  // regardless of its number of code points

	maxSize = 8 << 10 // bytes; bounds the cost of weighing texts with very long links
)

// Weight is the length of a text as X counts it: 1 for most letters, 2 for CJK and emoji, 23 for a URL.
func Weight(text string) int {
	text = norm.NFC.String(text)
	total, pos := 0, 0
	for _, url := range URLs(text) {
		total += plainWeight(text[pos:url[0]]) + urlWeight
		pos = url[1]
	}
	return total + plainWeight(text[pos:])
}

func plainWeight(text string) int {
	total := 0
	for len(text) > 0 {
		if size := emojiSize(text); size > 0 {
			total += emojiWeight
			text = text[size:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		total += runeWeight(r)
		text = text[size:]
	}
	return total
}

// runeWeight is 1 for alphabets and general punctuation, otherwise 2.
func runeWeight(r rune) int {
	switch {
	case r <= 0x10FF, r >= 0x2000 && r <= 0x200D, r >= 0x2010 && r <= 0x201F, r >= 0x2032 && r <= 0x2037:
		return 1
	default:
		return 2
	}
}

// CheckText returns an error if X would not accept the text.
func CheckText(text string) error {
	if len(text) > maxSize {
		return problem.New(problem.TextTooLong, "This post is far longer than %d characters.", MaxWeight)
	}
	if !utf8.ValidString(text) {
		return problem.New(problem.TextInvalid, "This post is not valid UTF-8 text.")
	}
	if i := strings.IndexFunc(text, refused); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return problem.New(problem.TextInvalid, "This post contains a character that X refuses: %U.", r)
	}
	if !strings.ContainsFunc(text, visible) {
		return problem.New(problem.TextEmpty, "This post is empty.")
	}
	if weight := Weight(text); weight > MaxWeight {
		return problem.New(problem.TextTooLong, "This post counts %d of %d characters.", weight, MaxWeight)
	}
	return nil
}

// refused reports whether X does not accept the rune.
func refused(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case 0xFFFE, 0xFEFF, 0xFFFF:
		return true
	default:
		return unicode.IsControl(r)
	}
}

// visible reports whether the rune alone can be seen.
func visible(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: // fillers and blanks in Unicode's letter and mark categories
		return false
	default:
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Variation_Selector)
	}
}

var anyScheme = regexp.MustCompile(`(?i:https?://)`)

// Canonical returns the same form for a text and for what X displays of it, so that a post can be found on
// the timeline. X adds schemes to links, collapses whitespace and may change the spelling of a host, so
// schemes are removed, hosts are lowercase ASCII without a trailing slash, and whitespace is a single space.
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

// withoutSchemes removes all schemes, because X links some domains only without one.
func withoutSchemes(text string) string {
	for anyScheme.MatchString(text) {
		text = norm.NFC.String(anyScheme.ReplaceAllLiteralString(text, ""))
	}
	return text
}

// TextKey is a digest that is equal for texts that cannot be distinguished on the timeline.
func TextKey(text string) string {
	sum := sha256.Sum256([]byte(Canonical(text)))
	return hex.EncodeToString(sum[:])
}
