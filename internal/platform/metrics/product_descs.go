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
	scrapeOK = described(prometheus.GaugeValue, "scrape_ok", "1 if the database answered this scrape; 0: the metrics read from rows are missing.", nil)

	posts         = ofRows("posts", "Posts by status.", "status")
	overdue       = ofRows("posts_overdue", "Posts whose scheduled time has passed and that nothing holds back.")
	overdueOldest = ofRows("posts_overdue_oldest_seconds", "Delay of the oldest overdue post, in seconds; 0 if none is overdue.")
	held          = ofRows("posts_held", "Posts whose scheduled time has passed while the bot is paused or not connected.")
	undecided     = ofRows("posts_unknown", "Posts whose outcome at X is unknown and that wait for a founder's decision.")
	armedOldest   = ofRows("posts_sending_oldest_seconds", "Age of the oldest post that is being sent, in seconds; 0 if none is.")
	slots         = ofRows("quota_slots", "Slots of this month by state.", "state")
	reads         = ofRows("x_reads", "Reads of X this month by kind.", "kind")

	letters       = ofRows("emails_waiting", "E-mails in the outbox.")
	lettersOldest = ofRows("emails_waiting_oldest_seconds", "Age of the oldest e-mail in the outbox, in seconds; 0 if it is empty.")
	lettersDead   = ofRows("emails_failed", "E-mails that could not be sent and that a founder may retry.")

	checkouts     = ofRows("checkouts", "Checkouts by state.", "state")
	quotingOldest = ofRows("checkouts_quoting_oldest_seconds", "Age of the oldest checkout without a quote, in seconds; 0 if none waits.")

	chaosRuns = described(prometheus.CounterValue, "chaos_runs_total",
		"Chaos runs that ended, by fault and verdict. From rows: the same in every replica.", []string{"fault", "verdict"})
	detects = ofRows("chaos_detect_duration_seconds", "Time from the injection to the first failed probe, by fault.", "fault")
	heals   = ofRows("chaos_heal_duration_seconds", "Time from the injection until the chaos target was healthy again, by fault.", "fault")

	siteStatus = ofRows("verification_status", "1 for the current verification status of the front page, 0 for the other statuses.", "status")
	siteAge    = ofRows("verification_age_seconds", "Time since the last verification of the front page ended, in seconds.")
	sitePassed = ofRows("verification_passed_ratio", "Share of checks that passed in the last verification, 0 to 1.")
)

// told is all of them.
var told = []desc{
	scrapeOK, posts, overdue, overdueOldest, held, armedOldest, undecided, slots, reads, letters, lettersOldest, lettersDead,
	checkouts, quotingOldest, chaosRuns, detects, heals, siteStatus, siteAge, sitePassed,
}
