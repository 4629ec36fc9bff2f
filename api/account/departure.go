package account

import (
	"context"
	"net/http"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
)

const ExportPath = "/api/account/export"

// DepartureStore keeps departures, and gathers what is stored about somebody. *store.Deletions
// implements it.
type DepartureStore interface {
	// RequestDeparture ends every session, and lets nobody log in again. Asked again, it gives
	// the departure that there is.
	RequestDeparture(ctx context.Context, accountID, id string, at time.Time) (account.Deletion, error)
	ExportAccount(ctx context.Context, accountID string, at time.Time) (account.Export, error)
}

// DepartureFlows carries departures. *client.Client implements it.
type DepartureFlows interface {
	// Depart starts the flow that forgets a member, and names its run. Safe to repeat.
	StartAccountDeletion(ctx context.Context, departureID string) (runID string, err error)
}

// Deletion asks to be forgotten.
type Deletion struct {
	Confirm string `json:"confirm" minLength:"1" maxLength:"60" doc:"One's own handle, as a confirmation"`
}

// Deleted answers it.
type Deleted struct {
	httpapi.RunRef
	Success bool      `json:"success" enum:"true"`
	Message string    `json:"message"`
	At      time.Time `json:"at"`
}

type (
	deletionRequest struct{ Body Deletion }
	deletedReply    struct {
		SetCookie http.Cookie `header:"Set-Cookie"`
		Body      Deleted
	}
	exportReply struct {
		ContentType        string `header:"Content-Type"`
		ContentDisposition string `header:"Content-Disposition"`
		CacheControl       string `header:"Cache-Control"`
		Body               []byte
	}
)
