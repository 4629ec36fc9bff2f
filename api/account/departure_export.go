package account

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
)

// ExportAccount gives a file for people to keep, so it is indented.
func (a *API) ExportAccount(ctx context.Context, _ *struct{}) (*exportReply, error) {
	who := httpapi.CallerOf(ctx)
	if err := a.Limits.Consume(ctx, account.ExportsPerAccount, who.Login.Account.ID, a.Now()); err != nil {
		return nil, err
	}
	all, err := a.Departures.ExportAccount(ctx, who.Login.Account.ID, a.Now())
	if err != nil {
		return nil, err
	}
	file, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	name := strings.Trim("customerzero-"+safeInFileNames.ReplaceAllString(who.Login.Name(), ""), "-") + "-" + a.Now().UTC().Format("2006-01-02")
	return &exportReply{
		ContentType: "application/json; charset=utf-8", ContentDisposition: `attachment; filename="` + name + `.json"`,
		CacheControl: "no-store", Body: file,
	}, nil
}

var safeInFileNames = regexp.MustCompile(`[^A-Za-z0-9_]`)
