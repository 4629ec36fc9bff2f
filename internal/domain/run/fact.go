package run

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Field is a value that may be shown, and how.
type Field struct {
	Path string // in the JSON, with dots
	Name string
	show show
}

// show turns a value into what people read; empty: there is nothing to show. Each shows one kind
// of value, and nothing that is of another: a sentence never passes for a word.
type show func(value any) string

// Facts reads the fields of a JSON value that may be shown.
func Facts(payload []byte, fields []Field) []Fact {
	if len(fields) == 0 {
		return nil
	}
	whole := decode(payload)
	var facts []Fact
	for _, field := range fields {
		if shown := field.show(at(whole, field.Path)); shown != "" {
			facts = append(facts, Fact{Name: field.Name, Value: shown})
		}
	}
	return facts
}

// Word reads one field that is a word or an ID; empty: it has no such field.
func Word(payload []byte, path string) string {
	if path == "" {
		return ""
	}
	return word(at(decode(payload), path))
}

func decode(payload []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	var whole any
	if decoder.Decode(&whole) != nil {
		return nil
	}
	return whole
}

func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// aWord is a word of ours, an ID or the name of a file of ours. It has no room for a sentence, an
// address or a link.
var aWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./-]{0,59}$`)

func word(value any) string {
	if text, _ := value.(string); aWord.MatchString(text) {
		return text
	}
	return ""
}

// words are a list of them.
func words(value any) string {
	list, _ := value.([]any)
	var shown []string
	for _, each := range list {
		if one := word(each); one != "" {
			shown = append(shown, one)
		}
	}
	return strings.Join(shown, ", ")
}

// given says only that there is something, like a sentence.
func given(value any) string {
	if text, _ := value.(string); text != "" {
		return "yes"
	}
	return ""
}

func yesNo(value any) string {
	switch value {
	case true:
		return "yes"
	case false:
		return "no"
	}
	return ""
}

func whole(value any) (int64, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := number.Int64()
	return n, err == nil
}

func count(value any) string {
	if n, ok := whole(value); ok {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// positive is a count that begins with 1.
func positive(value any) string {
	if n, ok := whole(value); ok && n > 0 {
		return strconv.FormatInt(n, 10)
	}
	return ""
}

func number(value any) string {
	n, ok := value.(json.Number)
	if !ok {
		return ""
	}
	f, err := n.Float64()
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// size counts a list.
func size(value any) string {
	if list, ok := value.([]any); ok {
		return strconv.Itoa(len(list))
	}
	return ""
}

func cents(value any) string {
	n, ok := whole(value)
	if !ok || n < 0 {
		return ""
	}
	return "$" + strconv.FormatInt(n/100, 10) + "." + strconv.FormatInt(100+n%100, 10)[1:]
}

func percent(value any) string {
	if n, ok := whole(value); ok {
		return strconv.FormatInt(n, 10) + " %"
	}
	return ""
}

func millis(value any) string {
	if n, ok := whole(value); ok {
		return InWords(time.Duration(n) * time.Millisecond)
	}
	return ""
}

// moment shows a time that has come, or will.
func moment(value any) string {
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04:05 UTC")
}

// InWords says how long something takes, as exactly as people care.
func InWords(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
	case d < time.Hour:
		return strconv.FormatFloat(d.Round(6*time.Second).Minutes(), 'f', -1, 64) + " min"
	case d < 48*time.Hour:
		return strconv.FormatFloat(d.Round(6*time.Minute).Hours(), 'f', -1, 64) + " h"
	default:
		return strconv.Itoa(int(d.Round(24*time.Hour)/(24*time.Hour))) + " days"
	}
}
