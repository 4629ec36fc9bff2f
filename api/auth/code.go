package auth

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
)

const (
	// CheckMail is the same for known and unknown users.
	CheckMail = "Check your e-mail for a 6-digit code."
	// mailStart bounds the start of an email's workflow; the dispatcher retries it.
	mailStart = 10 * time.Second
)

// ManualLogin is a login by username.
type ManualLogin struct {
	Username string `json:"username" minLength:"1" maxLength:"60" doc:"X handle or member name, with or without @"`
	Code     string `json:"code,omitempty" maxLength:"20" doc:"6-digit code from the email; omit it to request one"`
}

// ManualLoginReply reports whether the user is logged in, or what to do next.
type ManualLoginReply struct {
	Success bool   `json:"success" doc:"True if the caller is now logged in"`
	Error   string `json:"error,omitempty" doc:"Next step to show to the user; omitted on success"`
	Code    string `json:"code,omitempty" doc:"code_sent if a code was requested" enum:"code_sent"`
}

type manualLoginReply struct {
	SetCookie []string `header:"Set-Cookie"`
	Body      ManualLoginReply
}

func (a *API) ManualLogin(ctx context.Context, req *httpapi.Body[ManualLogin]) (*manualLoginReply, error) {
	name, err := member.ParseUsername(req.Body.Username)
	if err != nil {
		return nil, err
	}
	if a.DevLogin && httpapi.CallerOf(ctx).AtHome {
		return a.devLogin(ctx, name)
	}
	if req.Body.Code != "" {
		cookies, err := a.redeem(ctx, Subject("name", member.Key(name)), req.Body.Code)
		return &manualLoginReply{cookies, ManualLoginReply{Success: true}}, err
	}
	known, err := a.Accounts.AccountByName(ctx, name)
	if err != nil {
		return nil, err
	}
	cookies, err := a.issue(ctx, Subject("name", member.Key(name)), known)
	return &manualLoginReply{cookies, ManualLoginReply{Error: CheckMail, Code: "code_sent"}}, err
}

// devLogin logs in without a code. The configuration allows it on loopback only.
func (a *API) devLogin(ctx context.Context, name string) (*manualLoginReply, error) {
	known, err := a.Accounts.AccountByName(ctx, name)
	if err != nil {
		return nil, err
	}
	if known == nil && a.Founders.Include(name) {
		founder, err := a.Accounts.XAccount(ctx, account.DevUserID+member.Key(name), name, a.Now())
		if err != nil {
			return nil, err
		}
		known = &founder
	}
	if known == nil {
		return &manualLoginReply{Body: ManualLoginReply{Error: "Unknown username. With DEV_LOGIN, only founders and members with an email address can log in."}}, nil
	}
	cookies, err := a.openFor(ctx, known.ID, account.ByDev)
	return &manualLoginReply{httpapi.Cookies(cookies...), ManualLoginReply{Success: true}}, err
}

// EmailLogin is an address to log in with.
type EmailLogin struct {
	Email string `json:"email" doc:"Email address" minLength:"3" maxLength:"254"`
}

// RequestEmailCode binds the code to the browser: only with the cookie of this reply can it be used.
func (a *API) RequestEmailCode(ctx context.Context, req *httpapi.Body[EmailLogin]) (*httpapi.SessionReply, error) {
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return nil, err
	}
	known, err := a.Accounts.AccountByEmail(ctx, address)
	if err != nil {
		return nil, err
	}
	cookies, err := a.issue(ctx, Subject("email", address), known)
	return &httpapi.SessionReply{SetCookie: cookies, Body: httpapi.Done{
		Success: true, Message: "If this address has an account, we've sent it a 6-digit code.",
	}}, err
}

// EmailCode is the code that was emailed to an address.
type EmailCode struct {
	Email string `json:"email" doc:"Address that the code was sent to" minLength:"3" maxLength:"254"`
	Code  string `json:"code" doc:"6-digit code from the email" minLength:"6" maxLength:"20"`
}

func (a *API) VerifyEmailCode(ctx context.Context, req *httpapi.Body[EmailCode]) (*httpapi.SessionReply, error) {
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return nil, err
	}
	cookies, err := a.redeem(ctx, Subject("email", address), req.Body.Code)
	return &httpapi.SessionReply{SetCookie: cookies, Body: httpapi.Done{Success: true}}, err
}

// Activation is the token of a welcome email's activation link.
type Activation struct {
	Token string `json:"token" doc:"Token from the link of a welcome email" minLength:"43" maxLength:"43"`
}

func (a *API) Activate(ctx context.Context, req *httpapi.Body[Activation]) (*httpapi.SessionReply, error) {
	n, cookies := a.newSession(ctx, account.ByEmail)
	_, err := a.Accounts.RedeemActivationLink(ctx, req.Body.Token, n, a.Now())
	return &httpapi.SessionReply{SetCookie: httpapi.Cookies(cookies...), Body: httpapi.Done{Success: true}}, err
}

// Subject returns the key under which a login code is stored, as a digest.
func Subject(kind, typed string) string { return kind + ":" + typed }

// issue emails a login code to an account's address, and returns the cookie of the browser that may use it. An unknown
// account takes the same time: the same rows are written, with an email that has no recipient.
func (a *API) issue(ctx context.Context, subject string, known *account.Account) ([]string, error) {
	code := account.NewCode{Purpose: account.ForLogin, Account: known, Code: account.RandomCode(), Asker: httpapi.CallerOf(ctx).Asker(a.Marks)}
	if known != nil && known.Email != nil {
		code.Address = *known.Email
	}
	code.Asker.Browser = cmp.Or(code.Asker.Browser, account.NewToken())
	return httpapi.Cookies(a.Site.KnowDevice(code.Asker.Browser)), a.MailCode(ctx, subject, code)
}

// MailCode stores a code and emails it.
func (a *API) MailCode(ctx context.Context, subject string, code account.NewCode) error {
	who := httpapi.CallerOf(ctx)
	code.Subject = a.Marks.Mark(subject, "subject")
	code.Facts = map[string]string{
		"Code": code.Code, "Minutes": strconv.Itoa(int(account.CodeLife.Minutes())), "Site": a.Site.PublicURL, "Where": who.Device,
	}
	emailID, err := a.Accounts.IssueCode(ctx, code, a.Now())
	if err != nil {
		return err
	}
	a.SendEmail(ctx, emailID)
	return nil
}

// SendEmail starts an email's workflow in the background, so that the response time does not reveal whether the
// account exists.
func (a *API) SendEmail(ctx context.Context, emailID string) {
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailStart)
		defer cancel()
		if err := a.Runs.SendEmail(ctx, emailID); err != nil {
			slog.WarnContext(ctx, "email not started; the dispatcher retries", "email_id", emailID, "error", err)
		}
	}()
}

func (a *API) redeem(ctx context.Context, subject, typed string) ([]string, error) {
	n, cookies := a.newSession(ctx, account.ByEmail)
	code, _ := account.ReadCode(typed) // a malformed code counts as a wrong attempt
	_, err := a.Accounts.RedeemLogin(ctx, account.Guess{
		Purpose: account.ForLogin, Subject: a.Marks.Mark(subject, "subject"), Asker: httpapi.CallerOf(ctx).Asker(a.Marks), Code: code,
	}, n, a.Now())
	return httpapi.Cookies(cookies...), err
}

func (a *API) openFor(ctx context.Context, accountID string, provider account.Provider) ([]http.Cookie, error) {
	n, cookies := a.newSession(ctx, provider)
	n.AccountID = accountID
	_, err := a.Accounts.OpenSession(ctx, n, a.Now())
	return cookies, err
}

// newSession prepares a session and its cookies. It replaces the session of the request's cookie.
func (a *API) newSession(ctx context.Context, provider account.Provider) (account.NewSession, []http.Cookie) {
	who := httpapi.CallerOf(ctx)
	n := account.NewSession{
		Token: account.NewToken(), Provider: provider, Device: who.Device, Replaces: who.Cookie, Known: who.DeviceID, Browser: account.NewToken(),
	}
	return n, []http.Cookie{a.Site.OpenSession(n.Token, account.SessionLife), a.Site.KnowDevice(n.Browser)}
}
