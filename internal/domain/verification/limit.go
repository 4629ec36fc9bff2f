package verification

import (
	"time"

	"customerzero/internal/domain/account"
)

// How often a run may be asked for: each opens the page four times. Founders count overall
// only, the schedule nowhere.
var (
	PerVisitor = account.Limit{Name: "verification-visitor", Most: 30, Per: time.Hour, Doing: "verifications from your network"}
	Overall    = account.Limit{Name: "verification", Most: 120, Per: time.Hour, Doing: "verifications"}
)

// MaxPrompt is how long a question may be, in characters.
const MaxPrompt = 1000
