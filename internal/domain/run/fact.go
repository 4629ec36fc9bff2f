package run

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Field is a public value of a payload and how it is formatted.
type Field struct {
	Path string // dotted path in the JSON
	Name string
	show show
}

// show formats one kind of value, or returns "" for any other: a sentence never passes as a word.
type show func(value any) string

// Facts extracts the public fields of a JSON payload.
func Facts(payload []byte, fields []Field) []Fact {
	if len(fields) == 0 {
		return nil
	}
	root := decode(payload)
	var facts []Fact
	for _, field := range fields {
		if shown := field.show(at(root, field.Path)); shown != "" {
			facts = append(facts, Fact{Name: field.Name, Value: shown})
		}
	}
	return facts
}

// Word extracts one field that is a word or an ID, or "".
func Word(payload []byte, path string) string {
	if path == "" {
		return ""
	}
	return word(at(decode(payload), path))
}

func decode(payload []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	var root any
	if decoder.Decode(&root) != nil {
		return nil
	}
	return root
}

func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// aWord matches identifiers and file names. It excludes sentences, addresses and links.
var aWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_./-]{0,59}$`)

func word(value any) string {
	if text, _ := value.(string); aWord.MatchString(text) {
		return text
	}
	return ""
}

func words(value any) string {
	list, _ := value.([]any)
	var shown []string
	for _, item := range list {
		if one := word(item); one != "" {
			shown = append(shown, one)
		}
	}
	return strings.Join(shown, ", ")
}

// given hides the value and only shows that there is one.
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

// integer shows whole numbers of at least least.
func integer(least int64, format func(int64) string) show {
	return func(value any) string {
		number, _ := value.(json.Number)
		if n, err := number.Int64(); err == nil && n >= least {
			return format(n)
		}
		return ""
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

var (
	count    = integer(math.MinInt64, decimal)
	positive = integer(1, decimal)
	cents    = integer(0, func(n int64) string { return "$" + decimal(n/100) + "." + decimal(100 + n%100)[1:] })
	percent  = integer(math.MinInt64, func(n int64) string { return decimal(n) + " %" })
	millis   = integer(math.MinInt64, func(n int64) string { return InWords(time.Duration(n) * time.Millisecond) })
)

func number(value any) string {
	n, _ := value.(json.Number)
	if f, err := n.Float64(); err == nil {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return ""
}

func size(value any) string {
	if list, ok := value.([]any); ok {
		return strconv.Itoa(len(list))
	}
	return ""
}

func moment(value any) string {
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04:05 UTC")
}

// InWords formats a duration with the precision that people need.
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
