package store

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
)

// hold takes what a scheduled post needs: a slot of its month and, when a member posts,
// a credit.
func hold(tx *gorm.DB, p *post.Post, now time.Time) error {
	month := post.MonthOf(p.ScheduledAt)
	if p.ScheduledAt.Before(now) {
		month = post.MonthOf(now) // it will go out now, whatever it was planned for
	}
	if err := lockMonths(tx, now, month); err != nil {
		return err
	}
	seat, err := findSeat(tx, month, p.MemberID)
	if err != nil {
		return err
	}
	p.Reservation++
	if err := seat.take(tx, *p); err != nil {
		return err
	}
	return charge(tx, *p, now)
}

// move swaps the post's slot for one of another month. Either it has the new one or,
// refused, still the old.
func move(tx *gorm.DB, p post.Post, month post.Month, now time.Time) error {
	old, err := slotOf(tx, p.ID)
	if err != nil {
		return err
	}
	if old == nil {
		return fmt.Errorf("post %s is %s without a slot", p.ID, p.Status)
	}
	if old.Month == month {
		return nil
	}
	if err := lockMonths(tx, now, old.Month, month); err != nil {
		return err
	}
	seat, err := findSeat(tx, month, p.MemberID)
	if err != nil {
		return err
	}
	if err := old.free(tx); err != nil {
		return err
	}
	return seat.take(tx, p)
}

// release gives back what the post holds. Safe when it holds nothing.
func release(tx *gorm.DB, p post.Post, now time.Time) error {
	slot, err := slotOf(tx, p.ID)
	if err != nil || slot == nil {
		return err
	}
	if err := lockMonths(tx, now, slot.Month); err != nil {
		return err
	}
	if err := slot.free(tx); err != nil {
		return err
	}
	return refund(tx, p, now)
}

func charge(tx *gorm.DB, p post.Post, now time.Time) error {
	if !p.Sponsored() {
		return nil
	}
	return book(tx, member.CreditEntry{
		MemberID: *p.MemberID, Delta: -1, Reason: member.ReasonPost, PostID: &p.ID,
		EntryKey: fmt.Sprintf("post:%s:%d", p.ID, p.Reservation), CreatedAt: stamp(now),
	})
}

func refund(tx *gorm.DB, p post.Post, now time.Time) error {
	if !p.Sponsored() {
		return nil
	}
	return book(tx, member.CreditEntry{
		MemberID: *p.MemberID, Delta: 1, Reason: member.ReasonRefund, PostID: &p.ID,
		EntryKey: fmt.Sprintf("refund:%s:%d", p.ID, p.Reservation), CreatedAt: stamp(now),
	})
}
