package store

import (
	"context"
	"regexp"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
)

// EraseMember erases a member's personal data in one transaction. While runs still carry their posts, or
// models write for them, it does nothing unless force is set: then it cancels every post that is not being
// sent. Safe to repeat.
func (s *Deletions) EraseMember(ctx context.Context, id string, force bool, at time.Time) (account.Deletion, error) {
	var d account.Deletion
	err := s.db.inTx(ctx, func(tx *gorm.DB) (err error) {
		if d, err = lockByID[account.Deletion](tx, "account deletion", id); err != nil || d.Ended() {
			return err
		}
		e := erasure{store: s.db, tx: tx, d: &d, at: stamp(at), force: force}
		if err := e.load(); err != nil {
			return err
		}
		if waiting, err := e.waiting(); err != nil || waiting {
			return err
		}
		return e.run()
	})
	if err == nil && d.Ended() {
		s.db.settleSoon(ctx)
	}
	return d, err
}

// erasure is the last step of one account deletion.
type erasure struct {
	store *DB
	tx    *gorm.DB
	d     *account.Deletion
	at    time.Time
	force bool

	owner  account.Account
	member member.Member // empty ID if the account has no membership
}

// load reads the account and its member. A membership bought after the request is erased too.
func (e *erasure) load() error {
	owner, err := byID[account.Account](e.tx, "account", *e.d.AccountID)
	if e.owner, e.d.MemberID = owner, owner.MemberID; err != nil || owner.MemberID == nil {
		return err
	}
	e.member, err = byID[member.Member](e.tx, "member", *owner.MemberID)
	return err
}

// waiting reports whether runs still act on the member's posts. With force it cancels those that are
// certainly not being sent.
func (e *erasure) waiting() (bool, error) {
	open, err := readAll[post.Post](carried(e.tx.Where("member_id = ?", e.d.MemberID)).Order("scheduled_at, id"))
	if err != nil {
		return false, err
	}
	if !e.force {
		writing, err := e.generating()
		return writing || len(open) > 0, err
	}
	for _, p := range open {
		err := e.store.Posts.changePost(e.tx, p.ID, &p, func(tx *gorm.DB, p *post.Post) error {
			if p.Status == post.StatusArmed || p.Status == post.StatusUnknown {
				return nil
			}
			return cancel(tx, p, e.at)
		})
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// generating reports whether a model may still be writing for the account: a call's prompt is stored
// with its answer, at the end.
func (e *erasure) generating() (bool, error) {
	n, err := countOf[generation.Candidate](e.tx.Where("ended_at IS NULL AND generation_id IN (?)",
		e.tx.Model(&generation.Generation{}).Select("id").
			Where("account_id = ? AND created_at > ?", e.owner.ID, e.at.Add(-generation.Patience))))
	return n > 0, err
}

// run erases table by table, and locks rows in the order in which other transactions do.
func (e *erasure) run() error {
	for _, step := range []func() error{
		e.count, e.eraseWriting, e.eraseGenerated, e.eraseIdeas, e.erasePrices, e.eraseMembership, e.eraseEmails, e.writeFarewell,
		e.eraseNames, e.eraseAccount,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// count counts what was cancelled since the request.
func (e *erasure) count() (err error) {
	e.d.CancelledPosts, err = countOf[post.Post](e.tx.Where(
		"member_id = ? AND status = ? AND reservations > 0 AND updated_at >= ?", e.d.MemberID, post.StatusCancelled, e.d.RequestedAt))
	if err != nil {
		return err
	}
	return e.tx.Table("recurring_posts").Where("member_id = ? AND state = 'ended' AND updated_at >= ?", e.d.MemberID, e.d.RequestedAt).
		Select("count(*)").Scan(&e.d.EndedRecurringPosts).Error
}

// do runs statements with the parameter @id, unless it is nil.
func (e *erasure) do(id *string, statements ...string) error {
	if id == nil {
		return nil
	}
	for _, statement := range statements {
		if err := e.tx.Exec(statement, map[string]any{
			"id": *id, "at": e.at, "blank": account.DeletedText, "name": account.DeletedUsername(e.d.ID),
		}).Error; err != nil {
			return err
		}
	}
	return nil
}

// eraseWriting deletes unpublished texts. A cancelled post also loses its cancellation time, so that a
// founder can no longer restore it.
func (e *erasure) eraseWriting() error {
	return e.do(e.d.MemberID,
		`UPDATE recurring_posts SET state = 'ended', code = '', reason = '', texts = '["deleted"]', weekly = '[]', timezone = 'UTC'
		 WHERE member_id = @id`,
		`UPDATE posts SET status = 'cancelled', open_key = NULL, waiting_until = NULL, version = version + 1
		 WHERE member_id = @id AND status IN ('draft', 'failed')`,
		`UPDATE posts SET text = @blank, cancelled_at = NULL WHERE member_id = @id AND status = 'cancelled'`,
		`UPDATE posts SET review_reason = '', suggestion = '' WHERE member_id = @id`,
		`DELETE FROM onboardings WHERE member_id = @id`,
		`DELETE FROM posting_times WHERE holder = @id`,
	)
}

// eraseGenerated deletes prompts and generated texts, except texts that were published or may have been.
func (e *erasure) eraseGenerated() error {
	if err := endLost(e.tx.Where("generation_id IN (SELECT id FROM generations WHERE account_id = ?)", e.owner.ID), e.at); err != nil {
		return err
	}
	if err := e.eraseLostCalls(); err != nil {
		return err
	}
	const theirs = `generation_id IN (SELECT id FROM generations WHERE account_id = @id)`
	return e.do(&e.owner.ID,
		`UPDATE model_calls SET question = '', answer = '' WHERE id IN (SELECT call_id FROM generation_candidates WHERE `+theirs+`)`,
		`UPDATE generation_candidates SET text = '' WHERE `+theirs+` AND id NOT IN
		 (SELECT candidate_id FROM posts WHERE candidate_id IS NOT NULL AND status IN ('published', 'armed', 'unknown'))`,
		`UPDATE generation_votes SET account_id = NULL WHERE account_id = @id`,
		`UPDATE generations SET topic = '', facts = '[]', account_id = NULL WHERE account_id = @id`,
	)
}

// textTask is the prompt name of text generation.
const textTask = "tweet"

// eraseLostCalls empties the calls that no candidate names because their worker was lost. Those made
// around the time of this account's generations may belong to it.
func (e *erasure) eraseLostCalls() error {
	theirs, err := readAll[generation.Generation](e.tx.Where("account_id = ?", e.owner.ID))
	for _, g := range theirs {
		if err == nil {
			err = e.tx.Model(&model.Call{}).Where("task = ? AND created_at BETWEEN ? AND ?", textTask, g.CreatedAt, g.CreatedAt.Add(2*generation.Patience)).
				Where("id NOT IN (SELECT call_id FROM generation_candidates WHERE call_id IS NOT NULL)").
				Updates(map[string]any{"question": "", "answer": ""}).Error
		}
	}
	return err
}

// erasePrices removes the visitor from the member's prices, and deletes the visitor's statistics.
func (e *erasure) erasePrices() error {
	var visitors []string
	err := e.tx.Table("price_decisions").Distinct("visitor").Where("visitor IS NOT NULL").
		Where("id IN (SELECT decision_id FROM checkouts WHERE member_id = ?)", e.d.MemberID).Order("visitor").Scan(&visitors).Error
	for _, visitor := range visitors {
		if err == nil {
			err = forgetVisitor(e.tx, visitor)
		}
	}
	return err
}

// eraseMembership keeps an anonymous row, to which credits and payments refer.
func (e *erasure) eraseMembership() error {
	return e.do(e.d.MemberID, `UPDATE members SET username = @name, username_key = @name, status = 'removed', frozen_by = '', frozen_note = '' WHERE id = @id`)
}

// writeFarewell writes the last email. It refers to no account, and its address is deleted with it.
func (e *erasure) writeFarewell() error {
	if e.store.keys == nil || e.owner.Email == nil {
		return nil
	}
	name := e.member.Username
	if e.owner.XHandle != "" {
		name = e.owner.XHandle
	}
	if name != "" {
		name = "@" + name
	}
	content := email.Content{To: *e.owner.Email, Facts: map[string]string{"Name": name, "Run": e.d.WorkflowID}}
	return e.store.Emails.writeOnce(e.tx, email.Farewell, "farewell:"+e.d.ID, nil, content, e.at)
}

// eraseAccount ends the deletion and deletes the account.
func (e *erasure) eraseAccount() error {
	e.d.Stage, e.d.AccountID, e.d.EndedAt = account.DeletionEnded, nil, &e.at
	if err := save(e.tx, e.d); err != nil {
		return err
	}
	return e.do(&e.owner.ID,
		`DELETE FROM founder_votes WHERE account_id = @id`,
		`DELETE FROM sessions WHERE account_id = @id`,
		`DELETE FROM devices WHERE account_id = @id`,
		`DELETE FROM address_changes WHERE account_id = @id`,
		`DELETE FROM activation_links WHERE account_id = @id`,
		`DELETE FROM login_codes WHERE account_id = @id`,
		`DELETE FROM x_logins WHERE account_id = @id`,
		`UPDATE bot_connections SET account_id = NULL WHERE account_id = @id`,
		`UPDATE provider_keys SET account_id = NULL WHERE account_id = @id`,
		`DELETE FROM rate_windows WHERE bucket LIKE '%:' || @id`,
		`DELETE FROM x_handles WHERE x_user_id IN (SELECT x_user_id FROM accounts WHERE id = @id)`,
		`DELETE FROM accounts WHERE id = @id`,
	)
}

// eraseIdeas deletes the member's open votes, and the member from published experiments. The locks keep
// votes from being closed at the same time: a frozen count equals its rows.
func (e *erasure) eraseIdeas() error {
	if e.d.MemberID == nil {
		return nil
	}
	voted, err := readAll[experiment.Experiment](e.tx.Clauses(forShare).
		Where("id IN (SELECT experiment_id FROM experiment_votes WHERE member_id = ?)", *e.d.MemberID).Order("id"))
	if err != nil {
		return err
	}
	for _, open := range voted {
		if open.VotesClosedAt != nil {
			continue
		}
		taken := e.tx.Where("experiment_id = ? AND member_id = ?", open.ID, *e.d.MemberID).Delete(&experiment.Vote{})
		if taken.Error != nil {
			return taken.Error
		}
		e.d.DeletedVotes += int(taken.RowsAffected)
	}
	const unseen = `SELECT id FROM experiments WHERE member_id = @id AND number IS NULL`
	return e.do(e.d.MemberID,
		`DELETE FROM experiment_votes WHERE experiment_id IN (`+unseen+`)`,
		`DELETE FROM experiment_notes WHERE experiment_id IN (`+unseen+`)`,
		`DELETE FROM experiments WHERE id IN (`+unseen+`)`,
		`UPDATE experiments SET member_id = NULL WHERE member_id = @id`,
	)
}

// eraseEmails removes the recipient from emails, and deletes the content of those not sent, including
// those to founders about the member's posts. A run that is sending one finds it skipped.
func (e *erasure) eraseEmails() error {
	about := "account_id = ?"
	args := []any{e.owner.ID}
	if e.d.MemberID != nil {
		about += " OR idempotency_key LIKE ?"
		args = append(args, "asked:"+*e.d.MemberID+":%")
	}
	emails, err := readAll[email.Message](e.tx.Clauses(forUpdate).Where(about, args...).Order("id"))
	if err != nil {
		return err
	}
	for _, l := range emails {
		secretID := l.SecretID
		l.AccountID, l.SecretID, l.IdempotencyKey = nil, nil, "left:"+l.ID
		if l.State == email.Pending || l.State == email.Failed {
			l.State, l.EndedAt = email.Skipped, &e.at
		}
		if err := saveWithoutSecret(e.tx, &l, secretID); err != nil {
			return err
		}
	}
	return nil
}

// namesOf lists the columns that name a founder as the actor. A deleted account may have been a founder's.
var namesOf = map[string]string{
	"posts": "reviewer", "bot": "paused_by", "chaos_targets": "switched_by", "verification_baselines": "approved_by", "experiment_notes": "author",
}

// eraseNames removes the account's names from records of its actions.
func (e *erasure) eraseNames() error {
	names := e.names()
	if len(names) == 0 {
		return nil
	}
	for _, name := range names {
		for table, column := range namesOf {
			named := clause.Expr{SQL: "LOWER(REPLACE(?, '@', '')) = ?", Vars: []any{clause.Column{Name: column}, member.Key(name)}}
			if err := e.tx.Table(table).Where(named).Update(column, account.DeletedName).Error; err != nil {
				return err
			}
		}
	}
	return e.eraseAudit(names)
}

// names lists the username, the X handle and the email address.
func (e *erasure) names() (names []string) {
	for _, name := range []string{e.member.Username, e.owner.XHandle} {
		if name != "" {
			names = append(names, name)
		}
	}
	if e.owner.Email != nil {
		names = append(names, *e.owner.Email)
	}
	return names
}

// eraseAudit keeps the audited actions and removes who did them.
func (e *erasure) eraseAudit(names []string) error {
	query := e.tx.Where("account_id = ?", e.owner.ID)
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
		pattern := "%" + strings.ToLower(name) + "%" // an underscore matches any character; extra matches are filtered below
		query = query.Or("LOWER(actor) LIKE ? OR LOWER(detail) LIKE ?", pattern, pattern)
	}
	entries, err := readAll[audit.Entry](query)
	if err != nil {
		return err
	}
	named := regexp.MustCompile(`(?i)@?\b(?:` + strings.Join(quoted, "|") + `)\b`)
	for _, entry := range entries {
		if entry.AccountID != nil && *entry.AccountID == e.owner.ID {
			entry.AccountID = nil
		}
		entry.Actor = named.ReplaceAllString(entry.Actor, account.DeletedName)
		entry.Detail = named.ReplaceAllString(entry.Detail, account.DeletedName)
		if err := save(e.tx, &entry); err != nil {
			return err
		}
	}
	return nil
}
