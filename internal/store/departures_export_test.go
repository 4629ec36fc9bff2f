package store_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestExportHoldsWhatIsStoredAndNoSecret(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		create(t, s, l.eve, november)
		file, err := s.Deletions.ExportAccount(t.Context(), l.ada.ID, november)
		require.NoError(t, err)
		require.Equal(t, adaAddress, *file.Account.Email)
		require.Equal(t, adaName, file.Account.LoggedInAs)
		require.Equal(t, adaName, file.Membership.Username)
		require.Len(t, file.Sessions, 1)
		require.Len(t, file.Posts, 6, "five and the one of the series; not eve's")
		require.Len(t, file.Series, 1)
		require.Len(t, file.Timetable, 1)
		require.Len(t, file.Generations, 2)
		require.Len(t, file.Experiments, 2)
		require.Len(t, file.Votes, 2)
		require.Len(t, file.Onboarding, 1)
		require.Len(t, file.Receipts, 1)
		require.Equal(t, 765, file.Receipts[0].FinalCents)
		require.Equal(t, 2, file.Receipts[0].Visits)
		require.Equal(t, 90, file.Credits[0].Delta)
		require.NotEmpty(t, file.Letters)
		require.Len(t, file.Audit, 1)
		require.Equal(t, november, file.Posts[0].ScheduledAt.UTC())

		text, err := json.Marshal(file)
		require.NoError(t, err)
		require.Contains(t, string(text), `"texts":["`+adaSaid)
		for _, secret := range []string{"hash", "Hash", "secret_id", "secretId", "mark", "Mark", l.visitor} {
			require.NotContains(t, string(text), secret)
		}
	})
}

func TestExportOfAnAccountWithoutAMembership(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		create(t, s, nil, november)
		ada := stranger(t, s)
		file, err := s.Deletions.ExportAccount(t.Context(), ada.ID, november)
		require.NoError(t, err)
		require.Nil(t, file.Membership)
		require.Empty(t, file.Posts, "the founders' are nobody's own")
	})
}
