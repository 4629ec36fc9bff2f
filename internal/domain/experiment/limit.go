package experiment

import (
	"time"

	"customerzero/internal/domain/account"
)

// How often somebody may take part. Founders' ideas count nowhere.
var (
	SubmissionsPerVisitor = account.Limit{Name: "experiment-visitor", Most: 3, Per: time.Hour, Doing: "ideas from your network"}
	SubmissionsPerMember  = account.Limit{Name: "experiment-member", Most: 10, Per: time.Hour, Doing: "ideas"}
	SubmissionsOverall    = account.Limit{Name: "experiment", Most: 60, Per: time.Hour, Doing: "ideas from everybody"}
	VotesPerMember        = account.Limit{Name: "vote", Most: 600, Per: time.Hour, Doing: "votes"}
)
