// Package members answers for the registry of members.
package members

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
)

// API answers every operation of this feature.
type API struct {
	Audits  httpapi.AuditStore
	Members Store
	Now     func() time.Time
	Site    httpapi.Site
}

// Store is the registry. *store.Members implements it.
type Store interface {
	Account(ctx context.Context, id string, month post.Month) (member.Account, error)
	AddMember(ctx context.Context, m member.Member, w *account.Welcome) error
	Members(ctx context.Context, month post.Month) ([]member.Account, error)
}
