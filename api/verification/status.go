package verification

import (
	"context"
	"time"

	"customerzero/internal/domain/verification"
)

// trendDays are shown.
const trendDays = 30

func (a *API) GetVerificationStatus(ctx context.Context, _ *struct{}) (*verificationStatusReply, error) {
	standing, err := a.siteStanding(ctx)
	if err != nil {
		return nil, err
	}
	shown := VerificationStatus{
		Status: string(standing.verdict), Reason: standing.reason, Stale: standing.stale, Wavers: standing.wavers,
		EverySeconds: int(a.VerifyEvery.Seconds()), Sites: append([]string{}, a.Sites...),
	}
	if len(standing.last) > 0 {
		if err := a.showLastLook(ctx, &shown, standing.last); err != nil {
			return nil, err
		}
	}
	state, err := a.Verifications.Browser(ctx)
	if err != nil {
		return nil, err
	}
	shown.Browser = BrowserReport{Ready: state.Ready, Message: state.Message, Version: state.Version, SeenAt: state.SeenAt}
	shown.Trend, err = a.verificationTrend(ctx)
	return &verificationStatusReply{shown}, err
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
	shots, err := a.Verifications.Shots(ctx, last.ID)
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
