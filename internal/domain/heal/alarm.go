package heal

import (
	"fmt"

	"customerzero/internal/domain/target"
)

// Alarm says for people what is broken and what was tried. Why a step was not done is left
// out: it may name what is the machine's business.
func Alarm(failing target.Failing, steps []Mended) string {
	broken := "The cell was sick for too long."
	if failing.Any() {
		broken = "The cell stays sick: these fail their checks: " + failing.InWords() + "."
	}
	return broken + " " + Tried(steps)
}

// Tried says for people what the healer did.
func Tried(steps []Mended) string {
	var parts []string
	for _, kind := range []Kind{RestoreFiles, RestoreDatabase, Restart} {
		if done, failed := count(steps, kind); done > 0 {
			parts = append(parts, said[kind]+" "+times(done, failed))
		}
	}
	if len(parts) == 0 {
		return "The healer had nothing that it could mend."
	}
	return "The healer " + target.List(parts) + "."
}

var said = map[Kind]string{
	RestoreFiles: "restored files", RestoreDatabase: "restored the database", Restart: "started the process anew",
}

func count(steps []Mended, kind Kind) (done, failed int) {
	for _, s := range steps {
		if s.Kind == kind {
			done++
			if s.Error != "" {
				failed++
			}
		}
	}
	return done, failed
}

// times says how often something was tried, and how often in vain.
func times(done, failed int) string {
	text := "once"
	if done > 1 {
		text = fmt.Sprintf("%d times", done)
	}
	switch {
	case failed == 0:
		return text
	case done == 1:
		return text + " (in vain)"
	case failed == done:
		return text + " (each in vain)"
	}
	return text + fmt.Sprintf(" (%d of them in vain)", failed)
}
