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
	// MaxWeight is the most that a post may count.
	MaxWeight = 280

	urlWeight   = 23 // X shows every link as a short one of its own, always this long
	emojiWeight = 2  // however many code points it is made of

	maxSize = 8 << 10 // bytes: more could weigh little with very long links, and cost us long to weigh
)

// Weight counts a text the way X does: most emails count one, CJK and emoji two, a URL 23.
func Weight(text string) int {
	text = norm.NFC.String(text)
	total, pos := 0, 0
	for _, url := range URLs(text) {
		total += plainWeight(text[pos:url[0]]) + urlWeight
		pos = url[1]
	}
	return total + plainWeight(text[pos:])
}

// plainWeight counts a text without URLs.
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

// runeWeight is one for the alphabets and for general punctuation, two for everything else.
func runeWeight(r rune) int {
	switch {
	case r <= 0x10FF, r >= 0x2000 && r <= 0x200D, r >= 0x2010 && r <= 0x201F, r >= 0x2032 && r <= 0x2037:
		return 1
	default:
		return 2
	}
}

// CheckText says why a text cannot be posted, or nil.
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

// refused says whether X, or a timeline, could not carry the rune.
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

// visible says whether a reader would see the rune, were it alone.
func visible(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: // joiners, fillers and blanks that Unicode calls emails or marks
		return false
	default:
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Variation_Selector)
	}
}

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
