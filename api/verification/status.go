package verification

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

const trendDays = 30

func (a *API) GetVerificationStatus(ctx context.Context, _ *struct{}) (SiteStatus, error) {
	site, err := a.siteStatus(ctx)
	if err != nil {
		return SiteStatus{}, err
	}
	shown := SiteStatus{
		Status: string(site.verdict), Reason: site.reason, Stale: site.stale, Wavers: site.wavers,
		EverySeconds: int(a.VerifyEvery.Seconds()), Sites: append([]string{}, a.Sites...),
	}
	if len(site.last) > 0 {
		if err := a.showLastRun(ctx, &shown, site.last); err != nil {
			return SiteStatus{}, err
		}
	}
	state, err := a.Verifications.Browser(ctx)
	if err != nil {
		return SiteStatus{}, err
	}
	shown.Browser = BrowserReport{Ready: state.Ready, Message: state.Message, Version: state.Version, SeenAt: state.SeenAt}
	shown.Trend, err = a.verificationTrend(ctx)
	return shown, err
}

func (a *API) showLastRun(ctx context.Context, shown *SiteStatus, newest []verification.Run) error {
	last := newest[0]
	age, rate := int(a.Now().Sub(*last.EndedAt).Seconds()), verification.SuccessRate(last.Passed, last.Failed)
	shown.RunID, shown.LastVerification, shown.AgeSeconds, shown.SuccessRate = last.ID, last.EndedAt, &age, &rate
	for _, check := range last.Checks {
		if check.Kind == verification.CheckEndpoint && check.State != verification.Skip {
			shown.EndpointsChecked++
		}
	}
	if review := unprompted(newest); review != nil {
		shown.AIAnalysis, shown.Analyst = review.Text, review.By
	}
	shots, err := a.Verifications.Screenshots(ctx, last.ID)
	shown.Screenshot = firstPicture(shots)
	return err
}

// unprompted returns the newest AI review without a user's prompt, or nil. Users must not put text into the public
// status through their prompts.
func unprompted(newest []verification.Run) *verification.Comment {
	for _, run := range newest {
		if run.Prompt == "" && run.Comment != nil {
			return run.Comment
		}
	}
	return nil
}

func (a *API) verificationTrend(ctx context.Context) ([]VerificationDay, error) {
	first := a.Now().UTC().AddDate(0, 0, 1-trendDays)
	days, err := a.Verifications.VerificationDays(ctx, first.Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	byDay := map[string]verification.Day{}
	for _, day := range days {
		byDay[day.Day] = day
	}
	trend := make([]VerificationDay, trendDays)
	for i := range trend {
		name := first.AddDate(0, 0, i).Format(time.DateOnly)
		trend[i] = VerificationDay{Day: name, Active: byDay[name].Active, Warning: byDay[name].Warning, Error: byDay[name].Broken}
	}
	return trend, nil
}

type siteStatus struct {
	verdict       verification.Verdict
	reason        string
	stale, wavers bool
	last          []verification.Run // newest first; they have ended
}

func (a *API) siteStatus(ctx context.Context) (siteStatus, error) {
	front, _ := verification.ParseTarget("", a.Sites)
	last, err := a.Verifications.LastVerifications(ctx, front.URL, verification.StatusRuns)
	if err != nil {
		return siteStatus{}, err
	}
	if len(last) == 0 {
		reason := "The front page has not been verified yet. Start a verification; scheduled runs are off."
		if a.VerifyEvery > 0 {
			reason = "The front page has not been verified yet. Start a verification, or wait for the scheduled run every " + inWords(a.VerifyEvery) + "."
		}
		return siteStatus{verdict: verification.Unknown, reason: reason}, nil
	}
	verdicts := httpapi.Map(last, verification.Run.ForEverybody)
	site := siteStatus{last: last}
	site.verdict, site.wavers = verification.Status(verdicts)
	site.reason = publicReason(last[0])
	if site.verdict != verdicts[0] {
		site.reason = explainMajority(site.verdict, verdicts) + " " + site.reason
	}
	a.checkStale(&site)
	return site, nil
}

// checkStale turns an active status into a warning if the last run is too old, and extends any other reason.
func (a *API) checkStale(site *siteStatus) {
	ended := *site.last[0].EndedAt
	if a.VerifyEvery <= 0 || !verification.Stale(ended, a.VerifyEvery, a.Now()) {
		return
	}
	site.stale = true
	old := fmt.Sprintf("The last run is %s old, but one is due every %s.", inWords(a.Now().Sub(ended)), inWords(a.VerifyEvery))
	if site.verdict == verification.Active {
		site.verdict, site.reason = verification.Warning, old
		return
	}
	site.reason += " " + old
}

// publicReason returns the reason of a run, without the result of a user's prompt.
func publicReason(run verification.Run) string {
	if run.ForEverybody() == run.Verdict {
		return run.Reason
	}
	return fmt.Sprintf("The last run made %s, and all passed.", httpapi.Count(run.Passed, "check", "checks"))
}

func explainMajority(status verification.Verdict, verdicts []verification.Verdict) string {
	others := slices.DeleteFunc(slices.Clone(verdicts), func(v verification.Verdict) bool { return v == status })
	if len(verdicts)-len(others) < 2 {
		return fmt.Sprintf("The last 3 runs all differ, and %s is the middle result. The newest came out as %s:", status, verdicts[0])
	}
	return fmt.Sprintf("2 of the last 3 runs came out as %s, the newest as %s:", status, verdicts[0])
}

func inWords(d time.Duration) string {
	if d < time.Minute {
		return httpapi.Count(int(d.Seconds()), "second", "seconds")
	}
	return httpapi.Count(int(d.Minutes()), "minute", "minutes")
}

func (a *API) GetVerificationBadge(ctx context.Context, req *httpapi.BadgeRequest) (*httpapi.BadgeReply, error) {
	if req.Name != "status.svg" {
		return nil, problem.New(problem.NotFound, "Unknown badge. Available: status.svg.")
	}
	site, err := a.siteStatus(ctx)
	if err != nil {
		return nil, err
	}
	shown := httpapi.Badge{Label: "verification", Value: "no runs yet", Colour: httpapi.Grey}
	if len(site.last) > 0 {
		ago := httpapi.ShortAgo(a.Now().Sub(*site.last[0].EndedAt))
		shown = httpapi.Badge{Label: "verification", Value: verification.FrameworkStatus(site.verdict) + " · " + ago, Colour: cmp.Or(verdictColours[site.verdict], httpapi.Grey)}
	}
	return shown.Reply()
}

var verdictColours = map[verification.Verdict]string{
	verification.Active: httpapi.Green, verification.Warning: httpapi.Amber, verification.Broken: httpapi.Red,
}
