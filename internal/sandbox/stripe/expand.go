package stripe

import (
	"slices"
	"strings"
)

// expansion lists the parts of an answer that are shown whole and not as an ID, by path.
type expansion []string

// has says whether a part is shown whole.
func (e expansion) has(part string) bool {
	return slices.ContainsFunc(e, func(path string) bool { return path == part || strings.HasPrefix(path, part+".") })
}

// in gives what is shown whole within a part.
func (e expansion) in(part string) expansion {
	var inner expansion
	for _, path := range e {
		if rest, found := strings.CutPrefix(path, part+"."); found {
			inner = append(inner, rest)
		}
	}
	return inner
}

// readExpansion complains about parts that cannot be shown whole.
func readExpansion(f *fields, deepest string) expansion {
	asked := expansion(f.list("expand"))
	for _, path := range asked {
		if path != deepest && !strings.HasPrefix(deepest, path+".") {
			f.refuse(invalid("", "expand", "This property cannot be expanded (%s).", path))
		}
	}
	return asked
}
