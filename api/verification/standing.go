package verification

import (
	"context"
	"fmt"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/verification"
)

// lastLooks say how the site stands: two of them agree, or are no better and no worse.
const lastLooks = verification.Telling

// siteStanding is how the site stands, by the last looks at its front page.
type siteStanding struct {
	verdict       verification.Verdict
	reason        string
	stale, wavers bool
	last          []verification.Run // newest first; they have ended
}

func (a *API) siteStanding(ctx context.Context) (siteStanding, error) {
	last, err := a.Verifications.LastVerifications(ctx, a.frontPage(), lastLooks)
	if err != nil {
		return siteStanding{}, err
	}
	if len(last) == 0 {
		return siteStanding{verdict: verification.Unknown, reason: "No verification has run yet. " + a.firstLook()}, nil
	}
	verdicts := make([]verification.Verdict, len(last))
	for i, run := range last {
		verdicts[i] = run.ForEverybody()
	}
	now := siteStanding{last: last}
	now.verdict, now.wavers = verification.Status(verdicts)
	now.reason = whyOf(last[0])
	if now.verdict != verdicts[0] {
		now.reason = whyNotTheNewest(now.verdict, verdicts) + " " + now.reason
	}
	a.grownOld(&now)
	return now, nil
}

// grownOld warns when the last run is too old to tell; what was wrong then stays said.
func (a *API) grownOld(now *siteStanding) {
	ended := *now.last[0].EndedAt
	if a.VerifyEvery <= 0 || !verification.Stale(ended, a.VerifyEvery, a.Now()) {
		return
	}
	now.stale = true
	old := fmt.Sprintf("The last run is %s old; there should be one every %s.", inWords(a.Now().Sub(ended)), inWords(a.VerifyEvery))
	if now.verdict == verification.Active {
		now.verdict, now.reason = verification.Warning, old
		return
	}
	now.reason += " " + old
}

// whyOf goes with what the run says for everybody.
func whyOf(run verification.Run) string {
	if run.ForEverybody() == run.Verdict {
		return run.Reason
	}
	return fmt.Sprintf("The last run made %s, and all passed.", httpapi.Count(run.Passed, "check", "checks"))
}

// whyNotTheNewest begins a sentence about the last three runs; that about the newest ends it.
func whyNotTheNewest(stands verification.Verdict, verdicts []verification.Verdict) string {
	alike := 0
	for _, v := range verdicts {
		if v == stands {
			alike++
		}
	}
	if alike < 2 {
		return fmt.Sprintf("No two of the last three runs agree, and %s is between the others. The newest came to %s:", stands, verdicts[0])
	}
	return fmt.Sprintf("Two of the last three runs came to %s, the newest to %s:", stands, verdicts[0])
}

// frontPage is the page by which the site is judged; empty where nothing may be looked at.
func (a *API) frontPage() string {
	front, _ := verification.ParseTarget("", a.Sites)
	return front.URL
}

func (a *API) firstLook() string {
	if a.VerifyEvery <= 0 {
		return "Start one: none comes by itself here."
	}
	return "Start one, or wait: one comes by itself every " + inWords(a.VerifyEvery) + "."
}

// inWords says how long something takes, to the minute where it takes one.
func inWords(d time.Duration) string {
	if d < time.Minute {
		return httpapi.Count(int(d.Seconds()), "second", "seconds")
	}
	return httpapi.Count(int(d.Minutes()), "minute", "minutes")
}
