package metrics

import "github.com/prometheus/client_golang/prometheus"

// desc describes a metric that is told when somebody asks.
type desc struct {
	*prometheus.Desc
	kind prometheus.ValueType
}

// ofRows describes a metric that is read from rows.
func ofRows(name, help string, labels ...string) desc {
	return described(prometheus.GaugeValue, name, help+" From rows: the same in every replica.", labels)
}

func described(kind prometheus.ValueType, name, help string, labels []string) desc {
	return desc{prometheus.NewDesc(prefix+name, help, labels, nil), kind}
}

var (
	scrapeOK = described(prometheus.GaugeValue, "scrape_ok", "1 if the database told how the product stands; 0: metrics of rows are missing.", nil)

	posts         = ofRows("posts", "Posts by status.", "status")
	overdue       = ofRows("posts_overdue", "Posts whose time has come and that nothing holds back.")
	overdueOldest = ofRows("posts_overdue_oldest_seconds", "How long the first of the overdue posts is late; 0: none is.")
	held          = ofRows("posts_held", "Posts whose time has come while the bot is paused or not connected.")
	undecided     = ofRows("posts_undecided", "Posts of which nobody knows whether they went out, and a founder may decide.")
	armedOldest   = ofRows("posts_armed_oldest_seconds", "How long the first of the armed posts has been so; 0: none is.")
	slots         = ofRows("quota_slots", "Slots of this month by state.", "state")
	reads         = ofRows("x_reads", "Reads of X this month by kind.", "kind")

	letters       = ofRows("letters_waiting", "Letters in the outbox.")
	lettersOldest = ofRows("letters_waiting_oldest_seconds", "How long the first of the letters has waited; 0: none does.")
	lettersDead   = ofRows("letters_dead", "Letters that were given up, and that a founder may retry.")

	checkouts     = ofRows("checkouts", "Checkouts by state.", "state")
	quotingOldest = ofRows("checkouts_quoting_oldest_seconds", "How long the first of those who ask for a price has waited; 0: nobody does.")

	chaosRuns = described(prometheus.CounterValue, "chaos_runs_total",
		"Chaos runs that ended, by fault and verdict. From rows: the same in every replica.", []string{"fault", "verdict"})
	detects = ofRows("chaos_detect_duration_seconds", "From the injection to the first probe that failed, by fault.", "fault")
	heals   = ofRows("chaos_heal_duration_seconds", "From the injection until the cell was well again, by fault.", "fault")

	siteStatus = ofRows("verification_status", "1 for how the site stands by the last looks at its front page, 0 for the others.", "status")
	siteAge    = ofRows("verification_age_seconds", "How long ago the last look at the front page ended.")
	sitePassed = ofRows("verification_passed_ratio", "The share of the last look's checks that passed.")
)

// told is all of them.
var told = []desc{
	scrapeOK, posts, overdue, overdueOldest, held, armedOldest, undecided, slots, reads, letters, lettersOldest, lettersDead,
	checkouts, quotingOldest, chaosRuns, detects, heals, siteStatus, siteAge, sitePassed,
}
