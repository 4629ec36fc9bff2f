package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// Whatever the code above it does, the database has the last word.
func TestCheckoutRowsThatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	const decision, row = `UPDATE decisions SET `, `UPDATE checkouts SET `
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		quotedOne, openOne, paidOne := checkoutIn(t, s, checkout.Quoting), checkoutIn(t, s, checkout.Open), bought(t, s, "ada@example.com")
		free := beginCheckout(t, s, fullPrice(visitor(t, s, "free")), november)
		demo := offered(t, s, checkout.Ask{ID: checkout.NewID(), Personal: true, Demo: true}, 10, november)
		goneBack, err := s.Checkouts.RefundCheckout(t.Context(), bought(t, s, "bea@example.com").ID, 765, nil, november)
		require.NoError(t, err)

		for name, tt := range map[string]struct {
			change string
			id     string
			code   error // a CHECK, unless it says otherwise
		}{
			"a discount of 31 percent":                {decision + `discount_percent = 31, final_cents = 621`, openOne.DecisionID, nil},
			"a discount below zero":                   {decision + `discount_percent = -1, final_cents = 909`, openOne.DecisionID, nil},
			"a price of nothing":                      {decision + `final_cents = 0`, openOne.DecisionID, nil},
			"a price above the list":                  {decision + `final_cents = 901`, openOne.DecisionID, nil},
			"a price that is not its discount's":      {decision + `final_cents = 764`, openOne.DecisionID, nil},
			"a discount without its price":            {decision + `discount_percent = 16`, openOne.DecisionID, nil},
			"a discount that is not personal":         {decision + `discount_percent = 10, final_cents = 810`, free.DecisionID, nil},
			"a list price of nothing":                 {decision + `list_cents = 0`, openOne.DecisionID, nil},
			"a source that there is not":              {decision + `source = 'magic'`, openOne.DecisionID, nil},
			"a decided price without its time":        {decision + `decided_at = NULL`, openOne.DecisionID, nil},
			"a pending price that was decided":        {decision + `state = 'pending'`, openOne.DecisionID, nil},
			"a state of a price that there is not":    {decision + `state = 'free'`, openOne.DecisionID, nil},
			"a discount held against no month":        {decision + `month = NULL`, openOne.DecisionID, nil},
			"a discount held below zero":              {decision + `held_cents = -1`, openOne.DecisionID, nil},
			"two live prices of a visitor":            {decision + `live_key = (SELECT live_key FROM decisions WHERE id = '` + openOne.DecisionID + `')`, quotedOne.DecisionID, gorm.ErrDuplicatedKey},
			"a price by a call that there was not":    {decision + `call_id = 'nobody'`, openOne.DecisionID, gorm.ErrForeignKeyViolated},
			"an open checkout without a page":         {row + `session_id = NULL`, openOne.ID, nil},
			"a state of a checkout that there is not": {row + `state = 'free'`, openOne.ID, nil},
			"an open checkout that has ended":         {row + `ended_at = updated_at`, openOne.ID, nil},
			"an open checkout that was paid":          {row + `paid_at = updated_at`, openOne.ID, nil},
			"two open checkouts of a visitor":         {row + `live_key = (SELECT live_key FROM checkouts WHERE id = '` + openOne.ID + `')`, quotedOne.ID, gorm.ErrDuplicatedKey},
			"two checkouts of one page":               {row + `session_id = '` + *paidOne.SessionID + `'`, openOne.ID, gorm.ErrDuplicatedKey},
			"two checkouts of one payment":            {row + `payment_intent = '` + *paidOne.PaymentIntent + `'`, openOne.ID, gorm.ErrDuplicatedKey},
			"a member of a page that was not paid":    {row + `member_id = '` + *paidOne.MemberID + `'`, openOne.ID, nil},
			"a paid checkout without its time":        {row + `paid_at = NULL`, paidOne.ID, nil},
			"a paid checkout that did not end":        {row + `ended_at = NULL`, paidOne.ID, nil},
			"a paid checkout that may be opened":      {row + `live_key = 'x'`, paidOne.ID, nil},
			"a member who does not exist":             {row + `member_id = 'nobody'`, paidOne.ID, gorm.ErrForeignKeyViolated},
			"a payment below zero":                    {row + `paid_cents = -1`, paidOne.ID, nil},
			"a fee below zero":                        {row + `fee_cents = -1`, paidOne.ID, nil},
			"more sent back than came in":             {row + `refunded_cents = paid_cents + 1`, goneBack.ID, nil},
			"a checkout without its price":            {row + `decision_id = 'nobody'`, paidOne.ID, gorm.ErrForeignKeyViolated},
			"a member by the demo": {
				row + `state = 'paid', paid_at = updated_at, ended_at = updated_at, live_key = NULL, member_id = '` + *paidOne.MemberID + `'`, demo.ID, nil,
			},
		} {
			t.Run(name, func(t *testing.T) {
				want := tt.code
				if want == nil {
					want = gorm.ErrCheckConstraintViolated
				}
				require.ErrorIs(t, s.Exec(tt.change+` WHERE id = ?`, tt.id), want)
			})
		}
		for name, statement := range map[string]string{
			"more discounts than the month gives": `UPDATE discount_months SET budget_cents = held_cents - 1`,
			"discounts below zero":                `UPDATE discount_months SET held_cents = -1`,
			"a visitor without a visit":           `UPDATE visitors SET visits = 0`,
			"time on site below zero":             `UPDATE visitors SET seconds = -1`,
			"a second round of looking":           `INSERT INTO reconciliations (id, looked_until) VALUES (2, '2026-11-20 12:00:00')`,
		} {
			t.Run(name, func(t *testing.T) {
				require.ErrorIs(t, s.Exec(statement), gorm.ErrCheckConstraintViolated)
			})
		}
	})
}
