package store

import (
	"context"
	"errors"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// PlanRecurringPost settles the passed times of a recurring post and creates its next post. It returns
// the IDs of the posts whose runs have to be signaled. Safe to repeat.
func (s *RecurringPosts) PlanRecurringPost(ctx context.Context, id string, now time.Time) (schedule.RecurringPost, []string, error) {
	var changedIDs []string
	var r schedule.RecurringPost
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		var err error
		if r, err = lockRecurringPost(tx, id); err != nil {
			return err
		}
		changedIDs, err = s.plan(tx, &r, now)
		return err
	})
	return r, changedIDs, err
}

// plan needs the recurring post locked, and saves it.
func (s *RecurringPosts) plan(tx *gorm.DB, r *schedule.RecurringPost, now time.Time) (changedIDs []string, err error) {
	now = stamp(now)
	if r.State != schedule.Active {
		return nil, nil
	}
	code, reason, err := heldBack(tx, *r)
	if err != nil {
		return nil, err
	}
	if code != "" {
		return s.pause(tx, r, code, reason, now)
	}
	calendar, err := r.Calendar()
	if err != nil {
		return nil, err
	}
	plan := planning{s.db, tx, r, calendar, now, nil}
	if err := plan.passOver(); err != nil {
		return nil, err
	}
	if err := plan.settle(); err != nil {
		return nil, err
	}
	if err := plan.writeNext(); err != nil {
		return nil, err
	}
	return plan.changedIDs, save(tx, r)
}

// heldBack returns why a recurring post may not run, with an empty code if it may.
func heldBack(tx *gorm.DB, r schedule.RecurringPost) (code, reason string, err error) {
	if r.MemberID == nil {
		return "", "", nil
	}
	owner, err := readOne[member.Member](tx.Where("id = ?", *r.MemberID))
	if err != nil {
		return "", "", asProblem(err, "member")
	}
	if owner.Status != member.StatusActive {
		return schedule.CodeFrozen, schedule.ReasonFrozen, nil
	}
	controls, err := readOne[botRow](tx.Where("id = ?", theBot))
	if err == nil && controls.ApprovalRequired { // its posts would be published without review
		return schedule.CodeApproval, schedule.ReasonApproval, nil
	}
	return "", "", err
}

// planning is one planning pass over an active recurring post that is locked.
type planning struct {
	store      *DB
	tx         *gorm.DB
	r          *schedule.RecurringPost
	calendar   schedule.Weekly
	now        time.Time
	changedIDs []string
}

// passOver cancels the waiting posts of which a later time has passed.
func (p *planning) passOver() error {
	waiting, err := waitingPostsOf(p.tx, p.r.ID)
	if err != nil {
		return err
	}
	for _, scheduled := range waiting {
		if !overtaken(*p.r, p.calendar, scheduled.ScheduledAt, p.now) {
			continue
		}
		if err := p.store.RecurringPosts.skipWritten(p.tx, scheduled, schedule.CodeMissed, schedule.ReasonMissed, p.now); err != nil {
			return err
		}
		p.changedIDs = append(p.changedIDs, scheduled.ID)
	}
	return nil
}

// overtaken reports whether a later time of the recurring post has passed.
func overtaken(r schedule.RecurringPost, calendar schedule.Weekly, at, now time.Time) bool {
	next := r.Next(calendar, at)
	return r.State == schedule.Active && !next.IsZero() && !next.After(now)
}

// settle handles every passed time: the latest is caught up within a day, the others are skipped.
func (p *planning) settle() error {
	var missed []schedule.ScheduledTime
	for at := p.r.Next(p.calendar, p.r.PlannedUntil); !at.IsZero() && !at.After(p.now); at = p.r.Next(p.calendar, at) {
		missed = append(missed, schedule.ScheduledTime{
			RecurringPostID: p.r.ID, At: at, State: schedule.Skipped, Code: schedule.CodeMissed, Reason: schedule.ReasonMissed,
		})
	}
	if len(missed) == 0 {
		return nil
	}
	last := &missed[len(missed)-1]
	p.r.PlannedUntil = last.At
	if p.now.Sub(last.At) < schedule.CatchUpWindow {
		missed = missed[:len(missed)-1]
		if err := p.write(last.At); err != nil {
			return err
		}
	} else {
		last.Reason = schedule.ReasonTooLate
	}
	return p.skip(missed)
}

// skip stores times without a post. Times that are already stored are kept.
func (p *planning) skip(times []schedule.ScheduledTime) error {
	if len(times) == 0 {
		return nil
	}
	return p.tx.Clauses(onceOnly).CreateInBatches(times, 200).Error
}

// writeNext creates the next post unless it exists. A time whose post was cancelled is not used again.
// Without a next time the recurring post ends.
func (p *planning) writeNext() error {
	if p.r.PlannedUntil.After(p.now) {
		return nil
	}
	at := p.r.Next(p.calendar, p.now)
	for known := true; known && !at.IsZero(); {
		count, err := countOf[schedule.ScheduledTime](p.tx.Where("recurring_post_id = ? AND at = ?", p.r.ID, at))
		if err != nil {
			return err
		}
		if known = count > 0; known {
			at = p.r.Next(p.calendar, at)
		}
	}
	if at.IsZero() {
		p.r.State = schedule.Ended
		return nil
	}
	p.r.PlannedUntil = at
	return p.write(at)
}

// write creates the post of a time, or stores the limit that refused it. Texts of other open posts are
// skipped; a failed post of the same recurring post releases its text.
func (p *planning) write(at time.Time) error {
	var err error
	for shift := range p.r.Texts {
		if err = p.tryText(at, shift); !errors.Is(err, gorm.ErrDuplicatedKey) {
			return p.unless(at, err)
		}
	}
	return p.unless(at, asDuplicate(err))
}

// unless stores a limit as the reason why a time has no post.
func (p *planning) unless(at time.Time, err error) error {
	limit, ok := errors.AsType[*problem.Error](err)
	if !ok {
		return err
	}
	return p.skip([]schedule.ScheduledTime{{
		RecurringPostID: p.r.ID, At: at, State: schedule.Skipped, Code: string(limit.Code), Reason: limit.Message,
	}})
}

// tryText creates the post with one of the texts, or changes nothing.
func (p *planning) tryText(at time.Time, shift int) error {
	text := p.r.TextAt(p.r.PostsCreated+1, shift, at, p.calendar.Zone)
	key := post.TextKey(text)
	written := post.Post{
		ID: xid.New().String(), MemberID: p.r.MemberID, RecurringPostID: &p.r.ID, Text: text, OpenKey: &key, MadeWithAI: p.r.MadeWithAI,
		Status: post.StatusScheduled, ScheduledAt: at, Version: 1,
	}
	err := p.tx.Transaction(func(tx *gorm.DB) error { // a savepoint, so that a refused text rolls back alone
		released := tx.Model(&post.Post{}).Where("recurring_post_id = ? AND status = ? AND open_key = ?", p.r.ID, post.StatusFailed, key).
			Update("open_key", nil)
		if released.Error != nil {
			return released.Error
		}
		if err := tx.Create(&written).Error; err != nil {
			return err
		}
		if err := reserveSlot(tx, &written, p.now); err != nil {
			return err
		}
		if err := save(tx, &written); err != nil {
			return err
		}
		return tx.Create(&schedule.ScheduledTime{RecurringPostID: p.r.ID, At: at, State: schedule.Created, PostID: &written.ID}).Error
	})
	if err == nil {
		p.r.PostsCreated++
		p.changedIDs = append(p.changedIDs, written.ID)
	}
	return err
}

// lockRecurringPostOf locks a post's recurring post. It is locked before the post, because a failure
// changes both.
func lockRecurringPostOf(tx *gorm.DB, postID string) error {
	found, err := readOne[post.Post](tx.Select("recurring_post_id").Where("id = ?", postID))
	if errors.Is(err, gorm.ErrRecordNotFound) || (err == nil && found.RecurringPostID == nil) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = lockRecurringPost(tx, *found.RecurringPostID)
	return err
}

// followPost updates a recurring post after a change of one of its posts. Both are locked.
func (s *RecurringPosts) followPost(tx *gorm.DB, p post.Post, before post.Status, now time.Time) error {
	if p.RecurringPostID == nil || p.Status == before {
		return nil
	}
	scheduled := tx.Model(&schedule.ScheduledTime{}).Where("post_id = ?", p.ID)
	switch {
	case p.Status == post.StatusCancelled:
		return scheduled.Where("state = ?", schedule.Created).Updates(map[string]any{
			"state": schedule.Skipped, "code": schedule.CodeCancelled, "reason": schedule.ReasonCancelled,
		}).Error
	case before == post.StatusCancelled: // restored
		return scheduled.Updates(map[string]any{"state": schedule.Created, "code": "", "reason": ""}).Error
	case p.Status == post.StatusPublished:
		return tx.Model(&schedule.RecurringPost{}).Where("id = ?", *p.RecurringPostID).Update("consecutive_failures", 0).Error
	case p.Status == post.StatusFailed && p.Reservations == 1: // a failed retry counts once
		return s.countFailure(tx, *p.RecurringPostID, now)
	}
	return nil
}

// countFailure pauses a recurring post after consecutive failures.
func (s *RecurringPosts) countFailure(tx *gorm.DB, recurringPostID string, now time.Time) error {
	r, err := lockRecurringPost(tx, recurringPostID)
	if err != nil {
		return err
	}
	r.ConsecutiveFailures++
	if r.ConsecutiveFailures < schedule.MaxFailures || r.State != schedule.Active {
		return save(tx, &r)
	}
	_, err = s.pause(tx, &r, schedule.CodeFailedTwice, schedule.ReasonFailedTwice, now)
	return err
}

// pause stops a recurring post, cancels its next post, and notifies its owner.
func (s *RecurringPosts) pause(tx *gorm.DB, r *schedule.RecurringPost, code, reason string, now time.Time) (changedIDs []string, err error) {
	r.State, r.Code, r.Reason = schedule.Paused, code, reason
	if changedIDs, err = s.dropWritten(tx, r, now); err != nil {
		return nil, err
	}
	if err := save(tx, r); err != nil {
		return nil, err
	}
	return changedIDs, s.notifyPaused(tx, *r, now)
}

// dropWritten cancels the waiting posts of a recurring post. A future time can be planned again.
func (s *RecurringPosts) dropWritten(tx *gorm.DB, r *schedule.RecurringPost, now time.Time) (changedIDs []string, err error) {
	waiting, err := waitingPostsOf(tx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, scheduled := range waiting {
		if err := s.skipWritten(tx, scheduled, schedule.CodeChanged, schedule.ReasonChanged, now); err != nil {
			return nil, err
		}
		forgotten := tx.Where("post_id = ? AND at > ?", scheduled.ID, stamp(now)).Delete(&schedule.ScheduledTime{})
		if forgotten.Error != nil {
			return nil, forgotten.Error
		}
		r.PostsCreated -= int(forgotten.RowsAffected)
		changedIDs = append(changedIDs, scheduled.ID)
	}
	return changedIDs, nil
}

func waitingPostsOf(tx *gorm.DB, recurringPostID string) ([]post.Post, error) {
	return readAll[post.Post](tx.Where("recurring_post_id = ? AND status = ?", recurringPostID, post.StatusScheduled).Order("scheduled_at, id"))
}

// skipWritten cancels a waiting post, and stores why its time is skipped.
func (s *RecurringPosts) skipWritten(tx *gorm.DB, waiting post.Post, code, reason string, now time.Time) error {
	var p post.Post
	return s.db.Posts.changePost(tx, waiting.ID, &p, func(tx *gorm.DB, p *post.Post) error {
		if p.Status != post.StatusScheduled {
			return nil
		}
		return skipScheduledTime(tx, p, code, reason, now)
	})
}

// skipScheduledTime cancels a locked post and releases what it holds.
func skipScheduledTime(tx *gorm.DB, p *post.Post, code, reason string, now time.Time) error {
	err := tx.Model(&schedule.ScheduledTime{}).Where("post_id = ?", p.ID).
		Updates(map[string]any{"state": schedule.Skipped, "code": code, "reason": reason}).Error
	if err != nil {
		return err
	}
	p.Status, p.OpenKey, p.WaitingUntil, p.Code, p.Reason = post.StatusCancelled, nil, nil, code, reason
	p.Version++
	return releaseSlot(tx, *p, now)
}

// skipOvertaken cancels a post that is about to be sent although a later time of its recurring post has
// passed: after an outage only the latest is sent, in whichever order their runs resume.
func skipOvertaken(tx *gorm.DB, p *post.Post, now time.Time) (bool, error) {
	if p.RecurringPostID == nil {
		return false, nil
	}
	r, err := readOne[schedule.RecurringPost](tx.Where("id = ?", *p.RecurringPostID))
	if err != nil {
		return false, err
	}
	calendar, err := r.Calendar()
	if err != nil || !overtaken(r, calendar, p.ScheduledAt, now) {
		return false, err
	}
	return true, skipScheduledTime(tx, p, schedule.CodeMissed, schedule.ReasonMissed, now)
}

// notifyPaused notifies the recurring post's member, or the founders.
func (s *RecurringPosts) notifyPaused(tx *gorm.DB, r schedule.RecurringPost, at time.Time) error {
	var owners []account.Account
	var err error
	if r.MemberID != nil {
		owners, err = s.db.Emails.ofMember(tx, *r.MemberID)
	} else {
		owners, err = s.db.Emails.founders(tx)
	}
	if err != nil {
		return err
	}
	return s.db.Emails.notify(tx, owners, email.RecurringPostPaused, "recurring-post:"+r.ID+":"+stamp(at).Format(time.RFC3339Nano),
		map[string]string{"Excerpt": excerpt(r.Texts[0]), "Reason": r.Reason}, at)
}
