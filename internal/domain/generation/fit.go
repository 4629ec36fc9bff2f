package generation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// maxKept is the most bytes of an answer that are stored. Longer answers are cut.
const maxKept = 4 << 10

// Flaw is the reason why a text cannot be posted unchanged.
type Flaw struct {
	Code   problem.Code
	Reason string // a sentence
}

// Fit extracts the text from a model's answer by removing code fences and quotation marks around it. If the
// text cannot be posted unchanged, flaw gives the reason; the text is still returned unless it is empty.
func Fit(answer string) (text string, flaw *Flaw) {
	text = unwrapped(Kept(answer))
	switch {
	case text == "":
		return "", &Flaw{problem.TextEmpty, "The model returned no text. Generate again."}
	case marks.MatchString(text):
		return text, &Flaw{problem.AnswerUnfit, "The text contains markup, which X would show unchanged. Remove it or generate again."}
	}
	err := post.CheckText(text)
	switch code := problem.CodeOf(err); {
	case err == nil:
		return text, nil
	case code == problem.TextEmpty:
		return "", &Flaw{code, "The model returned only invisible characters. Generate again."}
	case code == problem.TextTooLong:
		return text, &Flaw{code, fmt.Sprintf("The text has %d of %d characters. Shorten it or generate again.", post.Weight(text), post.MaxWeight)}
	default:
		return text, &Flaw{code, "The text contains characters that X rejects. Remove them or generate again."}
	}
}

// Kept returns the part of an answer that can be stored: valid UTF-8 without zero bytes, at most 4 kB.
func Kept(answer string) string {
	answer = strings.ToValidUTF8(strings.ReplaceAll(answer, "\x00", ""), "\uFFFD")
	if len(answer) <= maxKept {
		return answer
	}
	end := maxKept
	for !utf8.RuneStart(answer[end]) {
		end--
	}
	return answer[:end]
}

// unwrapped removes whitespace, a code fence and quotation marks around the whole text.
func unwrapped(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	for _, take := range []func(string) string{withoutFence, withoutQuotes, withoutQuotes} {
		text = strings.TrimSpace(take(text))
	}
	return text
}

const fence = "```"

func withoutFence(text string) string {
	first, rest, lines := strings.Cut(text, "\n")
	inner, ended := strings.CutSuffix(rest, fence)
	if !lines || !ended || !strings.HasPrefix(first, fence) || strings.Contains(inner, fence) {
		return text
	}
	return inner
}

var quotes = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"'", "'"}, {"‘", "’"}, {"`", "`"}}

// withoutQuotes keeps quotation marks that belong to the text, as in: "Yes" is not "no".
func withoutQuotes(text string) string {
	for _, pair := range quotes {
		inner, begun := strings.CutPrefix(text, pair[0])
		inner, ended := strings.CutSuffix(inner, pair[1])
		if begun && ended && !strings.Contains(inner, pair[0]) && !strings.Contains(inner, pair[1]) {
			return inner
		}
	}
	return text
}

// marks matches HTML and the most frequent Markdown: headings, bold, links and fences.
var marks = regexp.MustCompile("(?m)</?[A-Za-z][^<>]*>|<!--|^ {0,3}#{1,6}[ \t]+\\S|\\*\\*[^*\n]+\\*\\*|__[^_\n]+__|\\]\\([^()\\s]+\\)|```")
