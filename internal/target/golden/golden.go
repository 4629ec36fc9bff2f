// Package golden holds the golden copy of a chaos target: the thirteen critical files as they must be.
// They are part of the program, so that no fault reaches them.
package golden

import "embed"

// FS holds exactly target.Files, by the same names.
//
//go:embed config public templates worker
var FS embed.FS
