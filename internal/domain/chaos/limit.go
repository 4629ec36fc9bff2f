package chaos

import (
	"time"

	"customerzero/internal/domain/account"
)

// How often a run may be asked for. Founders count overall only, the game day nowhere.
var (
	PerVisitor = account.Limit{Name: "chaos-visitor", Most: 3, Per: time.Hour, Doing: "chaos runs from your network"}
	Overall    = account.Limit{Name: "chaos", Most: 30, Per: time.Hour, Doing: "chaos runs"}
)

// Filter narrows a list of runs down; what is empty narrows nothing.
type Filter struct {
	Fault   string
	Verdict Verdict
}
