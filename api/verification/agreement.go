package verification

import (
	"context"
)

// agreementFormula says in words what is counted.
const agreementFormula = "Chaos runs photograph the cell before it is broken on purpose, while it is, and when it is healed, " +
	"so it is known whether what a comment says of a picture is right. A picture counts when the probe before it and the one after it " +
	"saw the same, and the comment has an opinion. They agree when a cell whose checks all passed was said to look well, or one with " +
	"a check that failed was said to look broken. The share is those that agree of those that count; without an opinion a picture " +
	"is only listed as unclear."

func (a *API) GetAgreement(ctx context.Context, _ *struct{}) (*agreementsReply, error) {
	all, err := a.Verifications.Agreements(ctx)
	if err != nil {
		return nil, err
	}
	shown := Agreements{Formula: agreementFormula, Analysts: make([]Agreement, len(all))}
	for i, a := range all {
		shown.Analysts[i] = Agreement{
			Analyst: a.By, Compared: a.Compared, Agreed: a.Agreed, FalseAlarms: a.FalseAlarms, Overlooked: a.Overlooked, Unclear: a.Unclear,
		}
		if a.Compared > 0 {
			share := float64(a.Agreed) / float64(a.Compared)
			shown.Analysts[i].Share = &share
		}
	}
	return &agreementsReply{shown}, nil
}
