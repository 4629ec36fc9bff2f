package api

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
	checkMail = "Check your e-mail for a 6-digit code."
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

func (s *Server) manualLogin(ctx context.Context, req *manualLoginRequest) (*manualLoginReply, error) {
	name, err := member.ParseUsername(req.Body.Username)
	if err != nil {
		return nil, err
	}
	if s.DevLogin && httpapi.CallerOf(ctx).AtHome {
		return s.devLogin(ctx, name)
	}
	if req.Body.Code != "" {
		cookie, err := s.redeem(ctx, subject("name", member.Key(name)), req.Body.Code)
		if err != nil {
			return nil, err
		}
		return &manualLoginReply{&cookie, ManualLoginReply{Success: true}}, nil
	}
	known, err := s.Accounts.AccountByName(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := s.issue(ctx, subject("name", member.Key(name)), known); err != nil {
		return nil, err
	}
	return &manualLoginReply{Body: ManualLoginReply{Error: checkMail, Code: "code_sent"}}, nil
}

// devLogin believes everybody. The configuration grants it to a laptop only.
func (s *Server) devLogin(ctx context.Context, name string) (*manualLoginReply, error) {
	known, err := s.Accounts.AccountByName(ctx, name)
	if err != nil {
		return nil, err
	}
	if known == nil && s.Founders.Include(name) {
		founder, err := s.Accounts.XAccount(ctx, account.DevUserID+member.Key(name), name, s.Now())
		if err != nil {
			return nil, err
		}
		known = &founder
	}
	if known == nil {
		return &manualLoginReply{Body: ManualLoginReply{Error: "Nobody has this name. DEV_LOGIN knows founders, and members with an address."}}, nil
	}
	cookie, err := s.openFor(ctx, known.ID, account.ByDev)
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

func (s *Server) requestEmailCode(ctx context.Context, req *emailLoginRequest) (*httpapi.DoneReply, error) {
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return nil, err
	}
	known, err := s.Accounts.AccountByEmail(ctx, address)
	if err != nil {
		return nil, err
	}
	if err := s.issue(ctx, subject("email", address), known); err != nil {
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

func (s *Server) verifyEmailCode(ctx context.Context, req *emailCodeRequest) (*httpapi.SessionReply, error) {
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return nil, err
	}
	cookie, err := s.redeem(ctx, subject("email", address), req.Body.Code)
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

func (s *Server) claim(ctx context.Context, req *claimRequest) (*httpapi.SessionReply, error) {
	who, token := httpapi.CallerOf(ctx), account.NewToken()
	_, err := s.Accounts.RedeemClaim(ctx, req.Body.Token, account.NewSession{
		Token: token, Provider: account.ByEmail, Device: who.Device, Replaces: who.Cookie,
	}, s.Now())
	if err != nil {
		return nil, err
	}
	return &httpapi.SessionReply{SetCookie: s.Site.OpenSession(token), Body: httpapi.Done{Success: true}}, nil
}

// subject names what was typed in, for the digest under which its code is kept.
func subject(kind, typed string) string { return kind + ":" + typed }

// issue mails a code to an account's address. Nobody costs as much as somebody: the same
// rows are written, and an e-mail that reaches nobody.
func (s *Server) issue(ctx context.Context, subject string, known *account.Account) error {
	code := account.RandomCode()
	order := account.NewCode{Purpose: account.ForLogin, Account: known, Code: code}
	if known != nil && known.Email != nil {
		order.Address = *known.Email
	}
	return s.mailCode(ctx, subject, order)
}

func (s *Server) mailCode(ctx context.Context, subject string, order account.NewCode) error {
	who := httpapi.CallerOf(ctx)
	order.Subject, order.Visitor = s.Marks.Mark(subject, "subject"), who.Visitor(s.Marks)
	order.Facts = map[string]string{
		"Code": order.Code, "Minutes": strconv.Itoa(int(account.CodeLife.Minutes())), "Site": s.Site.PublicURL, "Where": who.Device,
	}
	letterID, err := s.Accounts.IssueCode(ctx, order, s.Now())
	if err != nil {
		return err
	}
	s.post(ctx, letterID)
	return nil
}

// post starts an e-mail's run beside the answer, which must not tell by its time whether
// there was anybody to write to.
func (s *Server) post(ctx context.Context, letterID string) {
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailStart)
		defer cancel()
		if err := s.Runs.SendEmail(ctx, letterID); err != nil {
			slog.WarnContext(ctx, "a letter's run starts later", "letter_id", letterID, "error", err)
		}
	}()
}

// redeem logs in with a code.
func (s *Server) redeem(ctx context.Context, subject, typed string) (http.Cookie, error) {
	who, token := httpapi.CallerOf(ctx), account.NewToken()
	code, _ := account.ReadCode(typed) // what is no code is a wrong one, and counts as a try
	_, err := s.Accounts.RedeemLogin(ctx, account.Guess{
		Purpose: account.ForLogin, Subject: s.Marks.Mark(subject, "subject"), Visitor: who.Visitor(s.Marks), Code: code,
	}, account.NewSession{
		Token: token, Provider: account.ByEmail, Device: who.Device, Replaces: who.Cookie,
	}, s.Now())
	return s.Site.OpenSession(token), err
}

// openFor begins a session for somebody who has proven who they are.
func (s *Server) openFor(ctx context.Context, accountID string, provider account.Provider) (http.Cookie, error) {
	who, token := httpapi.CallerOf(ctx), account.NewToken()
	_, err := s.Accounts.OpenSession(ctx, account.NewSession{
		AccountID: accountID, Token: token, Provider: provider, Device: who.Device, Replaces: who.Cookie,
	}, s.Now())
	return s.Site.OpenSession(token), err
}
