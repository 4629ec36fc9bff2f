package store

import (
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
)

// tellAlarm writes to the founders that the cell needs help, once about an incident, or about
// a run that had none.
func (s *Chaos) tellAlarm(tx *gorm.DB, about, alarm string, since, at time.Time) error {
	if s.db.keys == nil {
		return nil // a store that was opened without keys writes no letters
	}
	founders, err := readAll[account.Account](tx.Where("email IS NOT NULL AND notices AND x_user_id IS NOT NULL"))
	if err != nil {
		return err
	}
	for _, a := range founders {
		content := email.Content{To: *a.Email, Facts: map[string]string{
			"Alarm": alarm, "Since": since.UTC().Format("2 January 2006 15:04:05 UTC"),
		}}
		if err := s.db.Emails.writeOnce(tx, email.CellAlarm, "alarm:"+about+":"+a.ID, &a.ID, content, at); err != nil {
			return err
		}
	}
	return nil
}
