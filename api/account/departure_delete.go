package account

import (
	"context"
	"log/slog"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/workflows"
)

// DeleteAccount writes the wish down, which logs out everywhere, and starts the run that fulfils
// it. When that fails the starter does it within seconds.
func (a *API) DeleteAccount(ctx context.Context, req *deletionRequest) (*deletedReply, error) {
	who := httpapi.CallerOf(ctx)
	if err := account.CheckDeletion(who.Login.Account, a.Founders); err != nil {
		return nil, err
	}
	if err := account.ConfirmDeletion(req.Body.Confirm, *who.Login); err != nil {
		return nil, err
	}
	if account.IsToken(who.Counted) { // the cookie is theirs, whether they ever bought or not
		if err := a.Visitors.ForgetVisitor(ctx, account.Hash(who.Counted)); err != nil {
			return nil, err
		}
	}
	d, err := a.Departures.RequestDeparture(ctx, who.Login.Account.ID, xid.New().String(), a.Now())
	if err != nil {
		return nil, err
	}
	runID, err := a.Runs.StartAccountDeletion(ctx, d.ID)
	if err != nil {
		slog.WarnContext(ctx, "a departure's run starts later", "departure_id", d.ID, "error", err)
	}
	return &deletedReply{a.Site.CloseSession(), Deleted{
		RunRef: httpapi.RunOf(workflows.AccountDeletionID(d.ID), runID), Success: true, At: d.RequestedAt,
		Message: "You are logged out everywhere, and your account is being deleted. The last letter says when it is done.",
	}}, nil
}
