package stripe

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fields are the parameters of a call. It keeps the first invalid one, so that callers check only once.
type fields struct {
	values  url.Values
	refused *refusal
}

var (
	index = regexp.MustCompile(`\[\d*\]`)
	label = regexp.MustCompile(`^((?:.*\[)?metadata)\[[^\[\]]+\]$`)
)

// unknown refuses parameters that are not in known. These are written like line_items[][quantity]; metadata
// covers all its fields.
func (f *fields) unknown(known []string) {
	for name := range f.values {
		pattern := label.ReplaceAllString(index.ReplaceAllString(name, "[]"), "$1")
		if !slices.Contains(known, pattern) {
			f.refuse(invalid("parameter_unknown", name, "Received unknown parameter: %s", name))
		}
	}
}

func (f *fields) refuse(r *refusal) {
	if f.refused == nil {
		f.refused = r
	}
}

func (f *fields) has(name string) bool { return f.values.Get(name) != "" }

func (f *fields) required(name string) string {
	if !f.has(name) {
		f.refuse(invalid("parameter_missing", name, "Missing required param: %s.", name))
	}
	return f.values.Get(name)
}

// only requires the one value that the sandbox supports.
func (f *fields) only(name, known string) {
	if f.required(name) != known {
		f.refuse(invalid("", name, "Invalid %s: this sandbox supports %s only", name, known))
	}
}

// integer returns a whole number within bounds; 0 if omitted.
func (f *fields) integer(name string, least, most int64) int64 {
	if !f.has(name) {
		return 0
	}
	number, err := strconv.ParseInt(f.values.Get(name), 10, 64)
	switch {
	case err != nil:
		f.refuse(invalid("parameter_invalid_integer", name, "Invalid integer: %s", f.values.Get(name)))
	case number < least || number > most:
		f.refuse(invalid("", name, "Invalid %s: must be between %d and %d", name, least, most))
	}
	return number
}

// webURL returns an absolute URL; empty if omitted.
func (f *fields) webURL(name string) string {
	value := f.values.Get(name)
	if value != "" && !isWeb(value) {
		f.refuse(invalid("url_invalid", name, "Not a valid URL"))
	}
	return value
}

// metadata returns the metadata fields; nil if there are none.
func (f *fields) metadata() map[string]string {
	var labels map[string]string
	for field := range f.values {
		if name, found := strings.CutPrefix(field, "metadata["); found && f.has(field) {
			if labels == nil {
				labels = map[string]string{}
			}
			labels[strings.TrimSuffix(name, "]")] = f.values.Get(field)
		}
	}
	return labels
}

// list returns the values of name[0], name[1] and so on.
func (f *fields) list(name string) []string {
	var values []string
	for i := 0; f.has(at(name, i)); i++ {
		values = append(values, f.values.Get(at(name, i)))
	}
	return values
}

// count returns the number of elements of an array of objects.
func (f *fields) count(name string) (n int) {
	for slices.ContainsFunc(slices.Collect(maps.Keys(f.values)), func(field string) bool { return strings.HasPrefix(field, at(name, n)) }) {
		n++
	}
	return n
}

func at(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }
