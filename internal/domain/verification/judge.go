package verification

import "customerzero/internal/domain/problem"

// Judge says what the checks come to, and how a comment changes that: it may lower active to
// warning when it doubts, or when something that was asked is not so. It never raises. The
// built-in analysis has no doubts of its own, only what the checks answer.
func Judge(checks []Check, c *Comment) Outcome {
	o := Outcome{Checked: checked(checks), Reason: reason(checks), Checks: checks}
	o.Verdict = o.Checked
	if len(unseenViews(checks)) > 0 {
		o.Code = string(problem.BrowserMissing)
	}
	if objection := objection(c); objection != "" && o.Checked == Active {
		o.Verdict = Warning
		o.Reason = o.Reason[:len(o.Reason)-1] + ", but " + objection + "."
	}
	return o
}

// checked is what the checks alone say. What passed nothing is not active.
func checked(checks []Check) Verdict {
	passed, failed, _ := Count(checks)
	endpointsPassed, endpointsFailed, _ := Count(of(CheckEndpoint, checks))
	_, pagesFailed, _ := Count(of(CheckPage, checks))
	switch {
	case pagesFailed > 0, endpointsFailed > 0 && endpointsFailed >= endpointsPassed:
		return Broken
	case failed > 0, passed == 0, len(unseenViews(checks)) > 0:
		return Warning
	default:
		return Active
	}
}

// unseenViews are the checks of views that could not be opened, for want of a browser.
func unseenViews(checks []Check) (unseen []Check) {
	for _, check := range of(CheckPage, checks) {
		if check.State == Skip {
			unseen = append(unseen, check)
		}
	}
	return unseen
}

func of(kind CheckKind, checks []Check) (some []Check) {
	for _, check := range checks {
		if check.Kind == kind {
			some = append(some, check)
		}
	}
	return some
}

// Count tells checks by how they ended.
func Count(checks []Check) (passed, failed, skipped int) {
	for _, check := range checks {
		switch check.State {
		case Pass:
			passed++
		case Fail:
			failed++
		default:
			skipped++
		}
	}
	return passed, failed, skipped
}
