package target

import (
	"fmt"
	"strings"
)

// words name the checks beside those of the files for people.
var words = map[Check]string{
	CheckKeeper: "the keeper", CheckProcess: "the process", CheckDatabase: "the database", CheckWorker: "the worker",
	CheckHome: "the page /", CheckPosts: "the page /posts", CheckOGImage: "the page /og-image.png", CheckAPI: "the API",
}

// InWords lists what failed for people.
func (f Failing) InWords() string {
	var parts []string
	switch files := f.Files(); len(files) {
	case 0:
	case 1:
		parts = append(parts, "the file "+files[0])
	default:
		parts = append(parts, fmt.Sprintf("%d of the %d files", len(files), len(Files())))
	}
	for _, check := range f.Checks() {
		if word, named := words[check]; named {
			parts = append(parts, word)
		}
	}
	return List(parts)
}

// List joins parts of a sentence.
func List(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
