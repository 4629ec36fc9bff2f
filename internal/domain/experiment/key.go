package experiment

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is how long a slug may be: one byte a character.
const maxSlug = 80

// Slug names an experiment in addresses, like 001-public-experiments-page. It does not change
// when the title does: others link to it.
func Slug(number int, title string) string {
	words := strings.FieldsFunc(strings.ToLower(ascii(title)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if len(words) == 0 {
		words = []string{"experiment"}
	}
	slug := fmt.Sprintf("%03d", number)
	for i, word := range words {
		switch room := maxSlug - len(slug) - 1; {
		case len(word) <= room:
			slug += "-" + word
		case i == 0: // too long for itself
			return slug + "-" + word[:room]
		default:
			return slug
		}
	}
	return slug
}

// ascii writes letters without their marks, and leaves out what is of other scripts.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’': // don't is one word
			return -1
		case r > unicode.MaxASCII:
			return ' '
		}
		return r
	}, norm.NFKD.String(text))
}

// ShownID is what people call an experiment: its number, or its ID before it has one.
func ShownID(e Experiment) string {
	if e.Number == nil {
		return e.ID
	}
	return fmt.Sprintf("%03d", *e.Number)
}

// Key is how somebody names an experiment. The empty fields do not name it.
type Key struct {
	Number int
	Slug   string // or an ID: an experiment without a number has its ID for a slug
}

// ParseKey reads 1 and 001 as numbers, and everything else as a slug or an ID.
func ParseKey(key string) Key {
	if number, err := strconv.ParseUint(key, 10, 31); err == nil && number > 0 {
		return Key{Number: int(number)}
	}
	return Key{Slug: key}
}
