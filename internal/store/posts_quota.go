package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// founders is the holder of the founders' share.
const founders = ""

type slotState string

const (
	slotFree     slotState = "free"
	slotReserved slotState = "reserved"
	slotSpent    slotState = "spent"
)

type quotaMonth struct {
	Month    post.Month `gorm:"primaryKey"`
	OpenedAt time.Time
}

type quotaSlot struct {
	Month    post.Month `gorm:"primaryKey"`
	SlotNo   int        `gorm:"primaryKey"`
	State    slotState
	PostID   *string
	MemberID *string
}

type quotaShare struct {
	Month   post.Month `gorm:"primaryKey"`
	Holder  string     `gorm:"primaryKey"`
	Held    int
	Allowed int
}

// lockMonths opens new months and locks them. The order is fixed, so that two posts that swap months
// cannot deadlock.
func lockMonths(tx *gorm.DB, now time.Time, months ...post.Month) error {
	slices.Sort(months)
	for _, month := range slices.Compact(months) {
		if err := openMonth(tx, month, now); err != nil {
			return err
		}
		if _, err := readOne[quotaMonth](tx.Clauses(forUpdate).Where("month = ?", month)); err != nil {
			return err
		}
	}
	return nil
}

// openMonth creates the month's 500 slots, once.
func openMonth(tx *gorm.DB, month post.Month, now time.Time) error {
	made := tx.Clauses(onceOnly).Create(&quotaMonth{month, stamp(now)})
	if made.Error != nil || made.RowsAffected == 0 {
		return made.Error
	}
	slots := make([]quotaSlot, post.MonthlyPosts)
	for i := range slots {
		slots[i] = quotaSlot{Month: month, SlotNo: i + 1, State: slotFree}
	}
	return tx.CreateInBatches(slots, len(slots)).Error
}

// findSlot returns a free slot of a locked month within its holder's share, or a problem that names the
// exhausted limit. It is valid only while the month is locked.
func findSlot(tx *gorm.DB, month post.Month, memberID *string) (quotaSlot, error) {
	slot, err := readFirst[quotaSlot](tx.Where("month = ? AND state = ?", month, slotFree).Order("slot_no"))
	if err != nil {
		return quotaSlot{}, err
	}
	if slot == nil {
		return quotaSlot{}, problem.New(problem.QuotaExhausted, "All %d posts for %s are taken. New ones become available on %s (UTC).",
			post.MonthlyPosts, month, month.ResetsAt().Format("2 January 2006"))
	}
	return *slot, checkShare(tx, month, holderOf(memberID))
}

// checkShare updates the holder's allowance and refuses if it is used up.
func checkShare(tx *gorm.DB, month post.Month, holder string) error {
	members, err := countActive(tx)
	if err != nil {
		return err
	}
	limit, whose := post.Share(members), "Your share"
	if holder == founders {
		limit, whose = post.FoundersShare(members), "The founders' share"
	}
	// More members make smaller shares, but slots already held are kept.
	raise := upsert("month, holder")
	raise.UpdateAll, raise.DoUpdates = false, clause.Assignments(map[string]any{
		"allowed": gorm.Expr("CASE WHEN quota_shares.held > ? THEN quota_shares.held ELSE ? END", limit, limit),
	})
	if err := tx.Clauses(raise).Create(&quotaShare{Month: month, Holder: holder, Allowed: limit}).Error; err != nil {
		return err
	}
	share, err := readOne[quotaShare](tx.Where("month = ? AND holder = ?", month, holder))
	if err != nil || share.Held < share.Allowed {
		return err
	}
	return problem.New(problem.ShareExhausted, "%s of %d posts for %s is used up. It resets on %s (UTC).",
		whose, limit, month, month.ResetsAt().Format("2 January 2006"))
}

func countActive(tx *gorm.DB) (int, error) {
	return countOf[member.Member](tx.Where("status = ?", member.StatusActive))
}

// reserve assigns the slot to the post. Constraints refuse a second post, and a share beyond its limit.
func (slot quotaSlot) reserve(tx *gorm.DB, p post.Post) error {
	err := mustChange(tx.Model(&quotaSlot{}).
		Where("month = ? AND slot_no = ? AND state = ?", slot.Month, slot.SlotNo, slotFree).
		Updates(map[string]any{"state": slotReserved, "post_id": p.ID, "member_id": p.MemberID}))
	if err != nil {
		return err
	}
	return addHeld(tx, slot.Month, holderOf(p.MemberID), 1)
}

func addHeld(tx *gorm.DB, month post.Month, holder string, n int) error {
	return mustChange(tx.Model(&quotaShare{}).Where("month = ? AND holder = ?", month, holder).
		Update("held", gorm.Expr("held + ?", n)))
}

// slotOf returns the post's slot, or nil.
func slotOf(tx *gorm.DB, postID string) (*quotaSlot, error) {
	return readFirst[quotaSlot](tx.Where("post_id = ?", postID))
}

// release frees a slot of a locked month.
func (slot quotaSlot) release(tx *gorm.DB) error {
	err := mustChange(tx.Model(&quotaSlot{}).Where("month = ? AND slot_no = ?", slot.Month, slot.SlotNo).
		Updates(map[string]any{"state": slotFree, "post_id": nil, "member_id": nil}))
	if err != nil {
		return err
	}
	return addHeld(tx, slot.Month, holderOf(slot.MemberID), -1)
}

// reserveSlot reserves what a scheduled post needs: a slot of its month and, for a member's post, a
// credit.
func reserveSlot(tx *gorm.DB, p *post.Post, now time.Time) error {
	month := post.MonthOf(p.ScheduledAt)
	if p.ScheduledAt.Before(now) {
		month = post.MonthOf(now) // it is sent now
	}
	if err := lockMonths(tx, now, month); err != nil {
		return err
	}
	slot, err := findSlot(tx, month, p.MemberID)
	if err != nil {
		return err
	}
	p.Reservations++
	if err := slot.reserve(tx, *p); err != nil {
		return err
	}
	return bookCredit(tx, *p, -1, member.ReasonPost, now)
}

// moveSlot exchanges the post's slot for one of another month. If that is refused, the post keeps the
// old one.
func moveSlot(tx *gorm.DB, p post.Post, month post.Month, now time.Time) error {
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
	slot, err := findSlot(tx, month, p.MemberID)
	if err != nil {
		return err
	}
	if err := old.release(tx); err != nil {
		return err
	}
	return slot.reserve(tx, p)
}

// releaseSlot returns the post's slot and credit. Safe if it holds none.
func releaseSlot(tx *gorm.DB, p post.Post, now time.Time) error {
	slot, err := slotOf(tx, p.ID)
	if err != nil || slot == nil {
		return err
	}
	if err := lockMonths(tx, now, slot.Month); err != nil {
		return err
	}
	if err := slot.release(tx); err != nil {
		return err
	}
	return bookCredit(tx, p, 1, member.ReasonRefund, now)
}

// bookCredit charges or refunds the credit of a member's post, once per reserved slot.
func bookCredit(tx *gorm.DB, p post.Post, delta int, reason member.Reason, now time.Time) error {
	if !p.Sponsored() {
		return nil
	}
	return addCredits(tx, member.CreditEntry{
		MemberID: *p.MemberID, Delta: delta, Reason: reason, PostID: &p.ID,
		EntryKey: fmt.Sprintf("%s:%s:%d", reason, p.ID, p.Reservations), CreatedAt: stamp(now),
	})
}

// Budget returns the state of each of a month's slots. holder selects whose slots are marked: a member's
// ID, empty for the founders, nil for none.
func (s *Posts) Budget(ctx context.Context, month post.Month, holder *string) (post.Budget, error) {
	usage, err := s.MonthUsage(ctx, month)
	if err != nil {
		return post.Budget{}, err
	}
	budget := post.Budget{Usage: usage, Cells: strings.Repeat(".", post.MonthlyPosts)}
	taken, err := readAll[quotaSlot](s.db.on(ctx).Where("month = ? AND state <> ?", month, slotFree))
	if err != nil {
		return budget, err
	}
	cells := []byte(budget.Cells)
	for _, slot := range taken {
		own := holder != nil && holderOf(slot.MemberID) == *holder
		if own {
			budget.OwnHeld++
		}
		cells[slot.SlotNo-1] = slotByte(slot.State, own)
	}
	budget.Cells = string(cells)
	return budget, nil
}

// slotByte is a slot's state as one byte of post.Budget.Cells.
func slotByte(state slotState, own bool) byte {
	switch {
	case state == slotSpent && own:
		return 'S'
	case state == slotSpent:
		return 's'
	case own:
		return 'R'
	}
	return 'r'
}

// MonthUsage counts the slots of a month by state.
func (s *Posts) MonthUsage(ctx context.Context, month post.Month) (post.MonthUsage, error) {
	var usage post.MonthUsage
	err := s.db.on(ctx).Model(&quotaSlot{}).
		Select(`COUNT(CASE WHEN state = ? THEN 1 END) AS spent,
			COUNT(CASE WHEN state = ? THEN 1 END) AS reserved,
			COUNT(CASE WHEN state <> ? AND member_id IS NULL THEN 1 END) AS founders_share_held`,
			slotSpent, slotReserved, slotFree).
		Where("month = ?", month).Scan(&usage).Error
	if err != nil {
		return usage, err
	}
	usage.Members, err = countActive(s.db.on(ctx))
	return usage, err
}
