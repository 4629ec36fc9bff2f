package verification

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	mostCriteria     = 10
	longestCriterion = 200
)

// bullet is what people begin a line of a list with.
var bullet = regexp.MustCompile(`^(?:[-*+•–—·>]+|\(?\d{1,2}[.)]|\(?[a-z]\)|\[[ xX]?\])(?:\s+|$)`)

// Criteria takes a question apart: one criterion a line, or a sentence; ten at most.
func Criteria(prompt string) []string {
	var found []string
	seen := map[string]bool{}
	for line := range strings.FieldsFuncSeq(prompt, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' }) {
		for _, part := range sentences(unlisted(tidy(line, len(prompt)+1))) {
			part = cut(unlisted(part), longestCriterion)
			if key := folded(part); strings.ContainsFunc(part, unicode.IsLetter) && !seen[key] {
				seen[key] = true
				found = append(found, part)
			}
		}
	}
	return slices.Clip(found[:min(len(found), mostCriteria)])
}

// unlisted takes bullets away, boxes to tick among them.
func unlisted(line string) string {
	line = strings.TrimSpace(line)
	for {
		rest := strings.TrimSpace(bullet.ReplaceAllString(line, ""))
		if rest == line {
			return line
		}
		line = rest
	}
}

// sentences ends one where a capital follows a full stop: "e.g. a menu" is one, and so is "3.5 s".
func sentences(line string) (parts []string) {
	runes := []rune(line)
	begin := 0
	for i := 0; i+2 < len(runes); i++ {
		if runes[i+1] != ' ' {
			continue
		}
		if r := runes[i]; r == '?' || r == '!' || r == '.' && !unicode.IsLower(runes[i+2]) {
			parts = append(parts, string(runes[begin:i+1]))
			begin = i + 2
		}
	}
	return append(parts, string(runes[begin:]))
}

// folded is how two criteria are compared: letters and digits, in small.
func folded(text string) string {
	return strings.Join(words(text), " ")
}

// words are the words of a text in small letters, without the signs around them.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}
