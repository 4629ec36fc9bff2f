package heal

import (
	"customerzero/internal/domain/target"
)

// RoundsBeforeAlarm is how many rounds of mending are tried before people are called.
const RoundsBeforeAlarm = 3

// Plan says what to mend, from the failing checks alone. Rounds count from 1. What only serves
// badly gets the first round to come to itself: most often it fails for what was just mended.
// While the keeper is silent there is nothing to do, for it is who mends.
func Plan(failing target.Failing, round int) []Step {
	if failing.Has(target.CheckKeeper) {
		return nil
	}
	var steps []Step
	if files := failing.Files(); len(files) > 0 {
		steps = append(steps, Step{Kind: RestoreFiles, Files: files})
	}
	switch {
	case failing.Has(target.CheckDatabase):
		steps = append(steps, Step{Kind: RestoreDatabase}) // starts the process anew, too
	case failing.Has(target.CheckProcess), len(steps) == 0 && failing.Any() && round > 1:
		steps = append(steps, Step{Kind: Restart})
	}
	return steps
}
