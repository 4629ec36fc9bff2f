package verification

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"customerzero/internal/domain/model"
)

// took formats a duration: "640 ms", "3.2 s".
func took(ms int) string {
	if ms < 1000 {
		return strconv.Itoa(ms) + " ms"
	}
	return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s"
}

// percent formats a share, with more digits for small values.
func percent(share float64) string {
	p := share * 100
	finest := 1.0
	switch {
	case p > 0 && p < 0.01:
		return "less than 0.01 %"
	case p < 1:
		finest = 0.01
	case p < 10:
		finest = 0.1
	}
	return strconv.FormatFloat(math.Round(p/finest)*finest, 'g', 3, 64) + " %"
}

// count formats a number of things: "1 error", "2 errors".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// some lists at most most parts and counts the rest.
func some(parts []string, most int) string {
	if len(parts) <= most {
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(parts[:most], ", "), len(parts)-most)
}

// tidy reduces untrusted text to one line of at most most characters, without control and formatting
// characters.
func tidy(text string, most int) string {
	return cut(model.Plain(text), most)
}

// cut truncates a text with an ellipsis.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return text
}

// sentence adds a full stop unless the text ends with punctuation.
func sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}
