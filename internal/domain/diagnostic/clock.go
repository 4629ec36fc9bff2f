package diagnostic

import (
	"fmt"
	"time"
)

// tolerance is for the second that X's Date is rounded by, and for the way of the answer.
const tolerance = 3 * time.Second

func inStep(skew time.Duration) bool { return skew.Abs() < tolerance }

// clock says in words how this machine's clock stands beside X's.
func clock(skew time.Duration) string {
	if inStep(skew) {
		return "in step with X's"
	}
	side := "behind"
	if skew < 0 { // X's time minus ours
		side = "ahead of"
	}
	return amount(skew.Abs()) + " " + side + " X's"
}

// amount rounds to the largest unit of which there are at least two.
func amount(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d seconds", d.Round(time.Second)/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", d.Round(time.Minute)/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d hours", d.Round(time.Hour)/time.Hour)
	default:
		return fmt.Sprintf("%d days", d.Round(day)/day)
	}
}
