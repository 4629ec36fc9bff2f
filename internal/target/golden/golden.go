// Package golden embeds the golden copy of a chaos target's 13 critical files, so that no fault can reach it.
package golden

import "embed"

// FS contains exactly target.Files.
//
//go:embed config public templates worker
var FS embed.FS
