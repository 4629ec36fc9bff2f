package account

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/member"
	"customerzero/workflows"
)

// Credits is a page of a member's book, newest first.
type Credits struct {
	Balance    int                `json:"balance" doc:"Of now, whatever page this is"`
	Entries    []CreditEntry      `json:"entries"`
	Pagination httpapi.Pagination `json:"pagination"`
}

// CreditEntry is a line of the book.
type CreditEntry struct {
	Number  int           `json:"number" doc:"Of the line: 1 is the first"`
	At      time.Time     `json:"at"`
	Delta   int           `json:"delta" doc:"Above zero: given; below: taken"`
	Balance int           `json:"balance" doc:"With this entry"`
	Reason  member.Reason `json:"reason" enum:"founding_fee,tour,partnership,post,refund,adjust"`
	PostID  string        `json:"postId,omitempty" doc:"The post that it was for"`
	RunURL  string        `json:"runUrl,omitempty" doc:"Path of the public timeline of that post's run"`
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
