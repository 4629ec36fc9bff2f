package main

import (
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/api/enums/v1"
)

// attributes is the flag "Flow=Keyword,Amount=Int".
type attributes map[string]enums.IndexedValueType

func (a attributes) String() string {
	var out []string
	for name, kind := range a {
		out = append(out, name+"="+kind.String())
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// Set adds what text lists. Empty text adds nothing.
func (a attributes) Set(text string) error {
	for entry := range strings.SplitSeq(text, ",") {
		if entry == "" {
			continue
		}
		name, kind, _ := strings.Cut(entry, "=")
		value, err := enums.IndexedValueTypeFromString(kind)
		if err != nil || name == "" || value == enums.INDEXED_VALUE_TYPE_UNSPECIFIED {
			return fmt.Errorf("%q is not Name=Type, with Keyword, KeywordList, Text, Int, Double, Bool or Datetime", entry)
		}
		if _, ok := a[name]; ok {
			return fmt.Errorf("%s is listed twice", name)
		}
		a[name] = value
	}
	return nil
}
