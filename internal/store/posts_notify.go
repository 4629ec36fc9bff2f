package store

import (
	"strconv"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
)

// tellTrouble writes to those whom a post that failed, or is unknown, concerns: the member
// who sponsors it, and the founders where they have to decide. One try, one letter each.
func (s *Posts) tellTrouble(tx *gorm.DB, p post.Post, at time.Time) error {
	if s.db.keys == nil {
		return nil // a store that was opened without keys writes no letters
	}
	accounts, err := concerned(tx, p)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		key := "trouble:" + p.ID + ":" + strconv.Itoa(p.Attempt) + ":" + string(p.Status) + ":" + a.ID
		content := email.Content{To: *a.Email, Facts: map[string]string{
			"Excerpt": excerpt(p.Text), "Status": string(p.Status), "Reason": p.Reason,
		}}
		if err := s.db.Emails.writeOnce(tx, email.PostTrouble, key, &a.ID, content, at); err != nil {
			return err
		}
	}
	return nil
}

// concerned are those who are told of a post that needs somebody.
func concerned(tx *gorm.DB, p post.Post) (accounts []account.Account, err error) {
	if p.MemberID != nil {
		accounts, err = readAll[account.Account](tx.Where("member_id = ? AND email IS NOT NULL AND notices", *p.MemberID))
		if err != nil || p.Status == post.StatusFailed {
			return accounts, err
		}
	}
	founders, err := readAll[account.Account](tx.Where("email IS NOT NULL AND notices AND x_user_id IS NOT NULL"))
	for _, a := range founders {
		if p.MemberID == nil || a.MemberID == nil || *a.MemberID != *p.MemberID { // they are there already
			accounts = append(accounts, a)
		}
	}
	return accounts, err
}
