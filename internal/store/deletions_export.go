package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
)

// ExportAccount gathers all data that is stored about an account.
func (s *Deletions) ExportAccount(ctx context.Context, accountID string, at time.Time) (account.Export, error) {
	who, err := s.db.Accounts.AccountByID(ctx, accountID)
	if err != nil {
		return account.Export{}, err
	}
	file := account.Export{
		About: account.ExportAbout, ExportedAt: stamp(at), Goes: account.DeletedItems(), Stays: account.KeptItems(),
		Account: account.ExportedAccount{
			Email: who.Email, XHandle: who.XHandle, XUserID: who.XUserID, Notices: who.Notices, CreatedAt: who.CreatedAt, LoggedInAs: who.XHandle,
		},
	}
	var members []account.ExportedMember
	memberID := ""
	if who.MemberID != nil {
		memberID = *who.MemberID
	}
	collect := exporting{tx: s.db.on(ctx)}
	collect.byAccount(&file, who.ID)
	if who.XUserID != nil {
		collect.rows(&file.Account.Handles, "x_handles", "handle_key", "first_used_at, handle_key", "x_user_id = ?", *who.XUserID)
	}
	if memberID != "" {
		collect.rows(&members, "members", "*", "joined_at", "id = ?", memberID)
		collect.byMember(&file, memberID)
	}
	for i := range members { // one at most
		file.Membership = &members[i]
		if file.Account.LoggedInAs == "" {
			file.Account.LoggedInAs = members[i].Username
		}
	}
	return file, collect.err
}

// exporting reads part after part, until one cannot be read.
type exporting struct {
	tx  *gorm.DB
	err error
}

func (g *exporting) rows(into any, from, columns, order, where string, args ...any) {
	if g.err == nil {
		g.err = g.tx.Table(from).Select(columns).Where(where, args...).Order(order).Scan(into).Error
	}
}

func (g *exporting) byAccount(file *account.Export, id string) {
	g.rows(&file.Sessions, "sessions", "*", "created_at, id", "account_id = ?", id)
	g.rows(&file.Generations, "generation_candidates JOIN generations ON generations.id = generation_candidates.generation_id",
		"generations.voice, generations.topic, generations.facts, generations.created_at, generation_candidates.model, generation_candidates.text, generation_candidates.chosen, generation_candidates.ended_at",
		"generations.created_at, generation_candidates.label", "generations.account_id = ?", id)
	g.rows(&file.Letters, "emails", "*", "created_at, id", "account_id = ?", id)
	g.rows(&file.Audit, "audit_entries", "*", "at, id", "account_id = ?", id)
}

func (g *exporting) byMember(file *account.Export, id string) {
	g.rows(&file.Credits, "credit_entries", "*", "seq", "member_id = ?", id)
	g.rows(&file.Posts, "posts", "*", "created_at, id", "member_id = ?", id)
	g.rows(&file.Series, "recurring_posts", "*", "created_at, id", "member_id = ?", id)
	g.rows(&file.Timetable, "posting_times", "*", "holder", "holder = ?", id)
	g.rows(&file.Onboarding, "onboardings", "*", "kind", "member_id = ?", id)
	g.rows(&file.Experiments, "experiments", "*", "submitted_at, id", "member_id = ?", id)
	g.rows(&file.Votes, "experiment_votes JOIN experiments ON experiments.id = experiment_votes.experiment_id",
		"experiments.slug, experiment_votes.value, experiment_votes.created_at, experiment_votes.updated_at",
		"experiment_votes.created_at, experiments.slug", "experiment_votes.member_id = ?", id)
	g.rows(&file.Receipts, "checkouts JOIN price_decisions ON price_decisions.id = checkouts.decision_id",
		`checkouts.id, checkouts.state, checkouts.paid_cents, checkouts.refunded_cents, checkouts.paid_at, checkouts.created_at,
		price_decisions.list_cents, price_decisions.final_cents, price_decisions.discount_percent, price_decisions.source, price_decisions.model, price_decisions.reason,
		price_decisions.visits, price_decisions.time_on_site, price_decisions.viewed_pricing, price_decisions.added_to_cart, price_decisions.user_type`,
		"checkouts.created_at, checkouts.id", "checkouts.member_id = ?", id)
}
