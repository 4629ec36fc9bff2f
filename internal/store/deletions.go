package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// Deletions stores account deletions and exports.
type Deletions struct{ db *DB }

// RequestDeletion stores a deletion request and ends the account's sessions: from now on the account
// cannot log in, and its member has no share. A repeated request returns the stored one.
func (s *Deletions) RequestDeletion(ctx context.Context, accountID, id string, at time.Time) (account.Deletion, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (d account.Deletion, err error) {
		owner, err := lockByID[account.Account](tx, "account", accountID)
		if err != nil {
			return d, err
		}
		fresh := account.Deletion{
			ID: id, AccountID: &owner.ID, MemberID: owner.MemberID, Stage: account.DeletionRequested, RequestedAt: stamp(at),
		}
		if d, err = ensureRow(tx, &fresh, "account_id = ?", accountID); err != nil {
			return d, err
		}
		if err := tx.Where("account_id = ?", accountID).Delete(&account.Session{}).Error; err != nil {
			return d, err
		}
		return d, tx.Model(&member.Member{}).Where("id = ?", owner.MemberID).Update("status", member.StatusRemoved).Error
	})
}

// mayLogIn refuses an account that is being deleted. It waits for a concurrent request, which could not
// end a session that is opened later.
func mayLogIn(tx *gorm.DB, accountID string) error {
	if _, err := byID[account.Account](tx.Clauses(forShare).Select("id"), "account", accountID); err != nil {
		return err
	}
	leaving, err := countOf[account.Deletion](tx.Where("account_id = ?", accountID))
	if err == nil && leaving > 0 {
		err = problem.New(problem.Forbidden, "This account is being deleted, so you can't log in to it.")
	}
	return err
}

// Deletion returns an account deletion.
func (s *Deletions) Deletion(ctx context.Context, id string) (account.Deletion, error) {
	return byID[account.Deletion](s.db.on(ctx), "account deletion", id)
}

// BeginDeletion stores the run that deletes the account, unless it has ended.
func (s *Deletions) BeginDeletion(ctx context.Context, id, workflowID, runID string) (account.Deletion, error) {
	return changeRow(ctx, s.db, "account deletion", id, func(_ *gorm.DB, d *account.Deletion) error {
		if !d.Ended() {
			d.Stage, d.WorkflowID, d.RunID = account.DeletionRunning, workflowID, runID
		}
		return nil
	})
}

// OpenDeletions lists the deletions that have not ended, the oldest first.
func (s *Deletions) OpenDeletions(ctx context.Context) ([]account.Deletion, error) {
	return readAll[account.Deletion](s.db.on(ctx).Where("ended_at IS NULL").Order("requested_at, id").Limit(100))
}

// PostsToCancel lists the posts of a deletion request that still have a run.
func (s *Deletions) PostsToCancel(ctx context.Context, id string, limit int) ([]post.Post, error) {
	return readAll[post.Post](carried(s.db.on(ctx).Where("member_id = (SELECT member_id FROM account_deletions WHERE id = ?)", id)).
		Order("scheduled_at, id").Limit(limit))
}

// carried selects the posts whose run may still act on them.
func carried(query *gorm.DB) *gorm.DB {
	return query.Where("status IN ? OR (status IN ? AND open_key IS NOT NULL)",
		[]post.Status{post.StatusScheduled, post.StatusArmed}, []post.Status{post.StatusFailed, post.StatusUnknown})
}

// RecurringPostsToEnd lists the recurring posts of a deletion request, including those that ended since the
// request: their schedules may not have been updated yet.
func (s *Deletions) RecurringPostsToEnd(ctx context.Context, id string) ([]schedule.RecurringPost, error) {
	d, err := s.Deletion(ctx, id)
	if err != nil || d.MemberID == nil {
		return nil, err
	}
	return readAll[schedule.RecurringPost](s.db.on(ctx).
		Where("member_id = ? AND (state <> ? OR updated_at >= ?)", *d.MemberID, schedule.Ended, d.RequestedAt).Order("created_at, id"))
}

// CancelledPostsOf lists the posts of a recurring post that were cancelled since a time: their runs may
// not have been signaled yet.
func (s *Deletions) CancelledPostsOf(ctx context.Context, recurringPostID string, since time.Time) ([]post.Post, error) {
	return readAll[post.Post](s.db.on(ctx).
		Where("recurring_post_id = ? AND status = ? AND updated_at >= ?", recurringPostID, post.StatusCancelled, stamp(since)).Order("id"))
}

// ExportAccount gathers all data that is stored about an account.
func (s *Deletions) ExportAccount(ctx context.Context, accountID string, at time.Time) (account.Export, error) {
	owner, err := s.db.Accounts.AccountByID(ctx, accountID)
	if err != nil {
		return account.Export{}, err
	}
	file := account.Export{
		About: account.ExportAbout, ExportedAt: stamp(at), Goes: account.DeletedItems(), Stays: account.KeptItems(),
		Account: account.ExportedAccount{
			Email: owner.Email, XHandle: owner.XHandle, XUserID: owner.XUserID, Notices: owner.Notices, CreatedAt: owner.CreatedAt, LoggedInAs: owner.XHandle,
		},
	}
	var members []account.ExportedMember
	memberID := ""
	if owner.MemberID != nil {
		memberID = *owner.MemberID
	}
	collect := exporting{tx: s.db.on(ctx)}
	collect.byAccount(&file, owner.ID)
	if owner.XUserID != nil {
		collect.rows(&file.Account.Handles, "x_handles", "handle_key", "first_used_at, handle_key", "x_user_id = ?", *owner.XUserID)
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

// exporting reads the parts of an export until one fails.
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
	g.rows(&file.Devices, "devices", "*", "created_at, id", "account_id = ?", id)
	g.rows(&file.Sessions, "sessions", "*", "created_at, id", "account_id = ?", id)
	g.rows(&file.Generations, "generation_candidates JOIN generations ON generations.id = generation_candidates.generation_id",
		"generations.voice, generations.topic, generations.facts, generations.created_at, generation_candidates.model, generation_candidates.text, generation_candidates.chosen, generation_candidates.ended_at",
		"generations.created_at, generation_candidates.label", "generations.account_id = ?", id)
	g.rows(&file.FounderVotes, "founder_votes JOIN experiments ON experiments.id = founder_votes.experiment_id",
		"experiments.slug, founder_votes.value, founder_votes.created_at, founder_votes.updated_at",
		"founder_votes.created_at, experiments.slug", "founder_votes.account_id = ?", id)
	g.rows(&file.Emails, "emails", "*", "created_at, id", "account_id = ?", id)
	g.rows(&file.Audit, "audit_entries", "*", "at, id", "account_id = ?", id)
}

func (g *exporting) byMember(file *account.Export, id string) {
	g.rows(&file.Credits, "credit_entries", "*", "seq", "member_id = ?", id)
	g.rows(&file.Posts, "posts", "*", "created_at, id", "member_id = ?", id)
	g.rows(&file.RecurringPosts, "recurring_posts", "*", "created_at, id", "member_id = ?", id)
	g.rows(&file.PostingTimes, "posting_times", "*", "holder", "holder = ?", id)
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
