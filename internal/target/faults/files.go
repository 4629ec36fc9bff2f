package faults

import (
	"strings"

	"customerzero/internal/domain/target"
)

// intact says which of the files cannot be broken, because they are broken already.
func intact(target *Target, names ...string) error {
	if broken := target.Files.Differing(names...); len(broken) > 0 {
		return refuse("It cannot be broken now: %s is not what the manifest says.", broken[0])
	}
	return nil
}

// templates are the critical files in the templates folder.
func templates() []string {
	var names []string
	for _, name := range target.Files() {
		if strings.HasPrefix(name, templatesFolder+"/") {
			names = append(names, name)
		}
	}
	return names
}
