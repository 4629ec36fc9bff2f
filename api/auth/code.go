package auth

import (
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
	CheckMail = "Check your e-mail for a 6-digit code."
	// mailStart bounds the start of an e-mail's run; the sweeper starts what was not.
	mailStart = 10 * time.Second
)

// ManualLogin is a login by name.
type ManualLogin struct {
	Username string `json:"username" minLength:"1" maxLength:"60" doc:"With or without @"`
	Code     string `json:"code,omitempty" maxLength:"20" doc:"The six digits that were mailed"`
}

// ManualLoginReply says whether the person is logged in now.
type ManualLoginReply struct {
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty" doc:"What to do next, for a person"`
	Code    string `json:"code,omitempty" enum:"code_sent"`
}

type manualLoginRequest struct{ Body ManualLogin }

type manualLoginReply struct {
	SetCookie *http.Cookie `header:"Set-Cookie"`
	Body      ManualLoginReply
}

func (a *API) ManualLogin(ctx context.Context, req *manualLoginRequest) (*manualLoginReply, error) {
	name, err := member.ParseUsername(req.Body.Username)
	if err != nil {
		return nil, err
	}
	if a.DevLogin && httpapi.CallerOf(ctx).AtHome {
		return a.devLogin(ctx, name)
	}
	if req.Body.Code != "" {
		cookie, err := a.redeem(ctx, Subject("name", member.Key(name)), req.Body.Code)
		if err != nil {
			return nil, err
		}
		return &manualLoginReply{&cookie, ManualLoginReply{Success: true}}, nil
	}
	known, err := a.Accounts.AccountByName(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := a.issue(ctx, Subject("name", member.Key(name)), known); err != nil {
		return nil, err
	}
	return &manualLoginReply{Body: ManualLoginReply{Error: CheckMail, Code: "code_sent"}}, nil
}

// devLogin believes everybody. The configuration grants it to a laptop only.
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
		return &manualLoginReply{Body: ManualLoginReply{Error: "Nobody has this name. DEV_LOGIN knows founders, and members with an address."}}, nil
	}
	cookie, err := a.openFor(ctx, known.ID, account.ByDev)
	if err != nil {
		return nil, err
	}
	return &manualLoginReply{&cookie, ManualLoginReply{Success: true}}, nil
}

// EmailLogin is an address to log in with.
type EmailLogin struct {
	Email string `json:"email" minLength:"3" maxLength:"254"`
}

type emailLoginRequest struct{ Body EmailLogin }

func (a *API) RequestEmailCode(ctx context.Context, req *emailLoginRequest) (*httpapi.DoneReply, error) {
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return nil, err
	}
	known, err := a.Accounts.AccountByEmail(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := a.issue(ctx, Subject("email", address), known); err != nil {
		return nil, err
	}
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true, Message: "If the address is somebody's here, a 6-digit code is on its way to it."}}, nil
}

// EmailCode is a code that was mailed.
type EmailCode struct {
	Email string `json:"email" minLength:"3" maxLength:"254"`
	Code  string `json:"code" minLength:"6" maxLength:"20"`
}

type emailCodeRequest struct{ Body EmailCode }

func (a *API) VerifyEmailCode(ctx context.Context, req *emailCodeRequest) (*httpapi.SessionReply, error) {
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return nil, err
	}
	cookie, err := a.redeem(ctx, Subject("email", address), req.Body.Code)
	if err != nil {
		return nil, err
	}
	return &httpapi.SessionReply{SetCookie: cookie, Body: httpapi.Done{Success: true}}, nil
}

// Claim is the secret of a welcome letter's link.
type Claim struct {
	Token string `json:"token" minLength:"43" maxLength:"43"`
}

type claimRequest struct{ Body Claim }

func (a *API) Claim(ctx context.Context, req *claimRequest) (*httpapi.SessionReply, error) {
	who, token := httpapi.CallerOf(ctx), account.NewToken()
	_, err := a.Accounts.RedeemActivationLink(ctx, req.Body.Token, account.NewSession{
		Token: token, Provider: account.ByEmail, Device: who.Device, Replaces: who.Cookie,
	}, a.Now())
	if err != nil {
		return nil, err
	}
	return &httpapi.SessionReply{SetCookie: a.Site.OpenSession(token), Body: httpapi.Done{Success: true}}, nil
}

// Subject names what was typed in, for the digest under which its code is kept.
func Subject(kind, typed string) string { return kind + ":" + typed }

// issue mails a code to an account's address. Nobody costs as much as somebody: the same
// rows are written, and an e-mail that reaches nobody.
func (a *API) issue(ctx context.Context, subject string, known *account.Account) error {
	code := account.RandomCode()
	order := account.NewCode{Purpose: account.ForLogin, Account: known, Code: code}
	if known != nil && known.Email != nil {
		order.Address = *known.Email
	}
	return a.MailCode(ctx, subject, order)
}

func (a *API) MailCode(ctx context.Context, subject string, order account.NewCode) error {
	who := httpapi.CallerOf(ctx)
	order.Subject, order.Visitor = a.Marks.Mark(subject, "subject"), who.Visitor(a.Marks)
	order.Facts = map[string]string{
		"Code": order.Code, "Minutes": strconv.Itoa(int(account.CodeLife.Minutes())), "Site": a.Site.PublicURL, "Where": who.Device,
	}
	emailID, err := a.Accounts.IssueCode(ctx, order, a.Now())
	if err != nil {
		return err
	}
	a.SendEmail(ctx, emailID)
	return nil
}

// SendEmail starts an e-mail's run beside the answer, which must not tell by its time whether
// there was anybody to write to.
func (a *API) SendEmail(ctx context.Context, emailID string) {
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailStart)
		defer cancel()
		if err := a.Runs.SendEmail(ctx, emailID); err != nil {
			slog.WarnContext(ctx, "a letter's run starts later", "letter_id", emailID, "error", err)
		}
	}()
}

// redeem logs in with a code.
func (a *API) redeem(ctx context.Context, subject, typed string) (http.Cookie, error) {
	who, token := httpapi.CallerOf(ctx), account.NewToken()
	code, _ := account.ReadCode(typed) // what is no code is a wrong one, and counts as a try
	_, err := a.Accounts.RedeemLogin(ctx, account.Guess{
		Purpose: account.ForLogin, Subject: a.Marks.Mark(subject, "subject"), Visitor: who.Visitor(a.Marks), Code: code,
	}, account.NewSession{
		Token: token, Provider: account.ByEmail, Device: who.Device, Replaces: who.Cookie,
	}, a.Now())
	return a.Site.OpenSession(token), err
}

// openFor begins a session for somebody who has proven who they are.
func (a *API) openFor(ctx context.Context, accountID string, provider account.Provider) (http.Cookie, error) {
	who, token := httpapi.CallerOf(ctx), account.NewToken()
	_, err := a.Accounts.OpenSession(ctx, account.NewSession{
		AccountID: accountID, Token: token, Provider: provider, Device: who.Device, Replaces: who.Cookie,
	}, a.Now())
	return a.Site.OpenSession(token), err
}
