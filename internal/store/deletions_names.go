package store

import (
	"regexp"
	"strings"

	"gorm.io/gorm/clause"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
)

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
	const unseen = `SELECT id FROM experiments WHERE member_id = @whom AND number IS NULL`
	return e.do(e.d.MemberID,
		`DELETE FROM experiment_votes WHERE experiment_id IN (`+unseen+`)`,
		`DELETE FROM experiment_notes WHERE experiment_id IN (`+unseen+`)`,
		`DELETE FROM experiments WHERE id IN (`+unseen+`)`,
		`UPDATE experiments SET member_id = NULL WHERE member_id = @whom`,
	)
}

// eraseEmails forgets to whom e-mails went, and what those say that were not sent; also those
// that tell founders of their posts. A run that is sending one finds that it is over.
func (e *erasure) eraseEmails() error {
	about := "account_id = ?"
	args := []any{e.who.ID}
	if e.d.MemberID != nil {
		about += " OR idempotency_key LIKE ?"
		args = append(args, "asked:"+*e.d.MemberID+":%")
	}
	theirs, err := readAll[email.Message](e.tx.Clauses(forUpdate).Where(about, args...).Order("id"))
	if err != nil {
		return err
	}
	for _, l := range theirs {
		secretID := l.SecretID
		l.AccountID, l.SecretID, l.IdempotencyKey = nil, nil, "left:"+l.ID
		if l.State == email.Pending || l.State == email.Dead {
			l.State, l.EndedAt = email.Void, &e.at
		}
		if err := mustChange(e.tx.Select("*").Updates(&l)); err != nil {
			return err
		}
		if err := deleteSecret(e.tx, secretID); err != nil {
			return err
		}
	}
	return nil
}

// namesOf lists the columns that name a founder as the actor. A deleted account may have been a founder's.
var namesOf = map[string]string{
	"posts": "reviewer", "bot": "paused_by", "chaos_targets": "switched_by", "verification_baselines": "approved_by", "experiment_notes": "author",
}

// eraseNames takes them out of what others, and we, wrote down about what they did.
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

// names are what they are known by.
func (e *erasure) names() (names []string) {
	for _, name := range []string{e.member.Username, e.who.XHandle} {
		if name != "" {
			names = append(names, name)
		}
	}
	if e.who.Email != nil {
		names = append(names, *e.who.Email)
	}
	return names
}

// eraseAudit keeps what was done, and takes out who they were.
func (e *erasure) eraseAudit(names []string) error {
	query := e.tx.Where("account_id = ?", e.who.ID)
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
		pattern := "%" + strings.ToLower(name) + "%" // an underscore in it stands for any letter: too many are no harm
		query = query.Or("LOWER(actor) LIKE ? OR LOWER(detail) LIKE ?", pattern, pattern)
	}
	entries, err := readAll[audit.Entry](query)
	if err != nil {
		return err
	}
	named := regexp.MustCompile(`(?i)@?\b(?:` + strings.Join(quoted, "|") + `)\b`)
	for _, entry := range entries {
		if entry.AccountID != nil && *entry.AccountID == e.who.ID {
			entry.AccountID = nil
		}
		entry.Actor = named.ReplaceAllString(entry.Actor, account.DeletedName)
		entry.Detail = named.ReplaceAllString(entry.Detail, account.DeletedName)
		if err := mustChange(e.tx.Select("*").Updates(&entry)); err != nil {
			return err
		}
	}
	return nil
}
