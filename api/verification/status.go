package verification

import (
	"context"
	"fmt"
	"slices"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// trendDays are shown.
const trendDays = 30

func (a *API) GetVerificationStatus(ctx context.Context, _ *struct{}) (VerificationStatus, error) {
	standing, err := a.siteStanding(ctx)
	if err != nil {
		return VerificationStatus{}, err
	}
	shown := VerificationStatus{
		Status: string(standing.verdict), Reason: standing.reason, Stale: standing.stale, Wavers: standing.wavers,
		EverySeconds: int(a.VerifyEvery.Seconds()), Sites: append([]string{}, a.Sites...),
	}
	if len(standing.last) > 0 {
		if err := a.showLastLook(ctx, &shown, standing.last); err != nil {
			return VerificationStatus{}, err
		}
	}
	state, err := a.Verifications.Browser(ctx)
	if err != nil {
		return VerificationStatus{}, err
	}
	shown.Browser = BrowserReport{Ready: state.Ready, Message: state.Message, Version: state.Version, SeenAt: state.SeenAt}
	shown.Trend, err = a.verificationTrend(ctx)
	return shown, err
}

// showLastLook adds what the newest run has to tell.
func (a *API) showLastLook(ctx context.Context, shown *VerificationStatus, newest []verification.Run) error {
	last := newest[0]
	age, rate := int(a.Now().Sub(*last.EndedAt).Seconds()), verification.SuccessRate(last.Passed, last.Failed)
	shown.RunID, shown.LastVerification, shown.AgeSeconds, shown.SuccessRate = last.ID, last.EndedAt, &age, &rate
	for _, check := range last.Checks {
		if check.Kind == verification.CheckEndpoint && check.State != verification.Skip {
			shown.EndpointsChecked++
		}
	}
	if said := unasked(newest); said != nil {
		shown.AIAnalysis, shown.Analyst = said.Text, said.By
	}
	shots, err := a.Verifications.Screenshots(ctx, last.ID)
	shown.Screenshot = firstPicture(shots)
	return err
}

// unasked is the newest comment that answers nobody's question: what somebody makes a model
// say is for them, not for everybody who reads how the site stands.
func unasked(newest []verification.Run) *verification.Comment {
	for _, run := range newest {
		if run.Prompt == "" && run.Comment != nil {
			return run.Comment
		}
	}
	return nil
}

// verificationTrend has every day, also those on which nothing ran.
func (a *API) verificationTrend(ctx context.Context) ([]VerificationDay, error) {
	first := a.Now().UTC().AddDate(0, 0, 1-trendDays)
	days, err := a.Verifications.VerificationDays(ctx, first.Format(time.DateOnly))
	if err != nil {
		return nil, err
	}
	ran := map[string]verification.Day{}
	for _, day := range days {
		ran[day.Day] = day
	}
	trend := make([]VerificationDay, trendDays)
	for i := range trend {
		name := first.AddDate(0, 0, i).Format(time.DateOnly)
		trend[i] = VerificationDay{Day: name, Active: ran[name].Active, Warning: ran[name].Warning, Error: ran[name].Broken}
	}
	return trend, nil
}

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
	verdicts := httpapi.Map(last, verification.Run.ForEverybody)
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
	unlike := slices.DeleteFunc(slices.Clone(verdicts), func(v verification.Verdict) bool { return v == stands })
	if len(verdicts)-len(unlike) < 2 {
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

func (a *API) GetVerificationBadge(ctx context.Context, req *httpapi.BadgeRequest) (*httpapi.BadgeReply, error) {
	if req.Name != "status.svg" {
		return nil, problem.New(problem.NotFound, "There is no such picture. There is status.svg.")
	}
	standing, err := a.siteStanding(ctx)
	if err != nil {
		return nil, err
	}
	shown := httpapi.Badge{Label: "verification", Value: "no runs yet", Colour: httpapi.Grey}
	if len(standing.last) > 0 {
		ago := httpapi.ShortAgo(a.Now().Sub(*standing.last[0].EndedAt))
		shown = httpapi.Badge{Label: "verification", Value: verification.FrameworkStatus(standing.verdict) + " · " + ago, Colour: verdictColour(standing.verdict)}
	}
	return shown.Reply()
}

func verdictColour(v verification.Verdict) string {
	switch v {
	case verification.Active:
		return httpapi.Green
	case verification.Warning:
		return httpapi.Amber
	case verification.Broken:
		return httpapi.Red
	case verification.Unknown:
	}
	return httpapi.Grey
}
