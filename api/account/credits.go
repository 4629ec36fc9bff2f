package account

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/member"
	"customerzero/workflows"
)

// Credits is a page of a member's credit entries, newest first.
type Credits struct {
	Balance    int                `json:"balance" doc:"Current number of credits, on every page"`
	Entries    []CreditEntry      `json:"entries" doc:"Credit entries, newest first"`
	Pagination httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// CreditEntry is one change of the balance.
type CreditEntry struct {
	Number  int           `json:"number" doc:"Number of the entry; the first is 1"`
	At      time.Time     `json:"at" doc:"Time of the entry"`
	Delta   int           `json:"delta" doc:"Credits added, or removed if negative"`
	Balance int           `json:"balance" doc:"Balance after this entry"`
	Reason  member.Reason `json:"reason" doc:"Reason for the change" enum:"founding_fee,tour,partnership,post,refund,adjust"`
	PostID  string        `json:"postId,omitempty" doc:"ID of the post that used or returned the credit"`
	RunURL  string        `json:"runUrl,omitempty" doc:"Path of the timeline of that post's workflow run"`
}

func (a *API) ListCredits(ctx context.Context, req *httpapi.PageQuery) (Credits, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	entries, total, balance, err := a.Members.CreditEntries(ctx, memberID, req.Limit, req.Offset)
	return Credits{balance, httpapi.Map(entries, showCredit), req.Of(total)}, err
}

func showCredit(e member.CreditEntry) CreditEntry {
	shown := CreditEntry{Number: e.Seq, At: e.CreatedAt, Delta: e.Delta, Balance: e.Balance, Reason: e.Reason}
	if e.PostID != nil {
		shown.PostID, shown.RunURL = *e.PostID, httpapi.RunOf(workflows.PostID(*e.PostID), "").RunURL
	}
	return shown
}
