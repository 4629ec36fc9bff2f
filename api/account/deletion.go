package account

import (
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/workflows"
)

// ExportPath is the path of the account export, which cross-site pages must not request.
const ExportPath = "/api/account/export"

// Deletion is a request to delete the caller's account.
type Deletion struct {
	Confirm string `json:"confirm" minLength:"1" maxLength:"60" doc:"The caller's own name, or email address if the account has no name"`
}

// Deleted confirms that the deletion was stored.
type Deleted struct {
	httpapi.RunRef
	Success bool      `json:"success" doc:"Always true" enum:"true"`
	Message string    `json:"message" doc:"Confirmation to show to the user"`
	At      time.Time `json:"at" doc:"Time of the request"`
}

type (
	deletedReply struct {
		SetCookie []string `header:"Set-Cookie"`
		Body      Deleted
	}
	exportReply struct {
		ContentType        string `header:"Content-Type"`
		ContentDisposition string `header:"Content-Disposition"`
		CacheControl       string `header:"Cache-Control"`
		Body               []byte
	}
)

// DeleteAccount stores the request, which ends all sessions, and starts the workflow that deletes the account. If
// that fails, the dispatcher starts it within seconds.
func (a *API) DeleteAccount(ctx context.Context, req *httpapi.Body[Deletion]) (*deletedReply, error) {
	who := httpapi.CallerOf(ctx)
	if err := account.CheckDeletion(who.Login.Account, a.Founders); err != nil {
		return nil, err
	}
	if err := account.ConfirmDeletion(req.Body.Confirm, *who.Login); err != nil {
		return nil, err
	}
	if who.Counted != "" { // visits are counted by cookie, even without a purchase
		if err := a.Visitors.ForgetVisitor(ctx, account.Hash(who.Counted)); err != nil {
			return nil, err
		}
	}
	d, err := a.Deletions.RequestDeletion(ctx, who.Login.Account.ID, xid.New().String(), a.Now())
	if err != nil {
		return nil, err
	}
	runID, err := a.Runs.StartAccountDeletion(ctx, d.ID)
	if err != nil {
		slog.WarnContext(ctx, "account deletion not started; the dispatcher retries", "deletion_id", d.ID, "error", err)
	}
	return &deletedReply{httpapi.Cookies(a.Site.CloseSession()), Deleted{
		RunRef: httpapi.RunOf(workflows.AccountDeletionID(d.ID), runID), Success: true, At: d.RequestedAt,
		Message: "You are logged out everywhere, and your account is being deleted. A final email confirms when it is done.",
	}}, nil
}

// ExportAccount returns all data of the account as an indented JSON file.
func (a *API) ExportAccount(ctx context.Context, _ *struct{}) (*exportReply, error) {
	who := httpapi.CallerOf(ctx)
	if err := a.Limits.Consume(ctx, account.ExportsPerAccount, who.Login.Account.ID, a.Now()); err != nil {
		return nil, err
	}
	all, err := a.Deletions.ExportAccount(ctx, who.Login.Account.ID, a.Now())
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
