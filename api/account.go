package api

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// Account is how somebody logs in.
type Account struct {
	Username string    `json:"username"`
	Role     string    `json:"role" enum:"visitor,member,founder"`
	Email    string    `json:"email,omitempty"`
	MemberID string    `json:"memberId,omitempty"`
	Notices  bool      `json:"notices" doc:"Letters about one's posts: failed, to be decided, decided; and about series that were paused"`
	Sessions []Session `json:"sessions"`
}

// Session is a browser or a program that is logged in.
type Session struct {
	ID        string    `json:"id"`
	Current   bool      `json:"current" doc:"The one that asks"`
	Provider  string    `json:"provider" enum:"x,email,dev"`
	Scope     string    `json:"scope,omitempty" doc:"Of a token for a program"`
	Device    string    `json:"device"`
	CreatedAt time.Time `json:"createdAt"`
	SeenAt    time.Time `json:"seenAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

type accountReply struct {
	CacheControl string `header:"Cache-Control"`
	Body         Account
}

func (s *Server) getAccount(ctx context.Context, _ *struct{}) (*accountReply, error) {
	who := httpapi.CallerOf(ctx)
	sessions, err := s.Accounts.Sessions(ctx, who.Login.Account.ID, s.Now())
	if err != nil {
		return nil, err
	}
	shown := Account{
		Username: who.Login.Name(), Role: who.Role.String(), Notices: who.Login.Account.Notices,
		Email: httpapi.Deref(who.Login.Account.Email), MemberID: httpapi.Deref(who.Login.Account.MemberID),
		Sessions: make([]Session, len(sessions)),
	}
	for i, session := range sessions {
		shown.Sessions[i] = Session{
			ID: session.ID, Current: session.ID == who.Login.Session.ID, Provider: string(session.Provider),
			Scope: string(session.Scope), Device: session.Device,
			CreatedAt: session.CreatedAt, SeenAt: session.SeenAt, ExpiresAt: session.ExpiresAt,
		}
	}
	return &accountReply{"no-store", shown}, nil
}

type sessionPath struct {
	ID string `path:"id" maxLength:"40"`
}

func (s *Server) endSession(ctx context.Context, req *sessionPath) (*httpapi.DoneReply, error) {
	err := s.Accounts.EndSession(ctx, httpapi.CallerOf(ctx).Login.Account.ID, req.ID)
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, err
}

func (s *Server) endSessions(ctx context.Context, _ *struct{}) (*httpapi.SessionReply, error) {
	err := s.Accounts.EndSessions(ctx, httpapi.CallerOf(ctx).Login.Account.ID)
	return &httpapi.SessionReply{SetCookie: s.Site.CloseSession(), Body: httpapi.Done{Success: true}}, err
}

// Notices says whether somebody wants e-mails.
type Notices struct {
	Wanted bool `json:"wanted"`
}

type noticesRequest struct{ Body Notices }

func (s *Server) setNotices(ctx context.Context, req *noticesRequest) (*httpapi.DoneReply, error) {
	err := s.Accounts.SetNotices(ctx, httpapi.CallerOf(ctx).Login.Account.ID, req.Body.Wanted)
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, err
}

type addressRequest struct{ Body EmailLogin }

func (s *Server) requestAddressCode(ctx context.Context, req *addressRequest) (*httpapi.DoneReply, error) {
	who := httpapi.CallerOf(ctx)
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return nil, err
	}
	err = s.mailCode(ctx, subject("account", who.Login.Account.ID), account.NewCode{
		Purpose: account.ForAddress, Account: &who.Login.Account, Address: address, Code: account.RandomCode(),
	})
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true, Message: checkMail}}, err
}

// AddressCode is a code that was mailed to a new address.
type AddressCode struct {
	Code string `json:"code" minLength:"6" maxLength:"20"`
}

type addressCodeRequest struct{ Body AddressCode }

func (s *Server) verifyAddressCode(ctx context.Context, req *addressCodeRequest) (*httpapi.DoneReply, error) {
	who := httpapi.CallerOf(ctx)
	code, _ := account.ReadCode(req.Body.Code)
	err := s.Accounts.RedeemAddress(ctx, account.Guess{
		Purpose: account.ForAddress, Subject: s.Marks.Mark(subject("account", who.Login.Account.ID), "subject"),
		Visitor: who.Visitor(s.Marks), Code: code,
	}, s.Now())
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, err
}

type unsubscribeRequest struct {
	Account string `query:"account" required:"true" maxLength:"40"`
	Proof   string `query:"proof" required:"true" maxLength:"200" doc:"As it stands in the letter's link"`
	// Mail programs send a form that says no more than that they mean it.
	RawBody []byte `contentType:"application/x-www-form-urlencoded"`
}

// unsubscribe asks for no login: the link's proof says whose letter it stood in.
func (s *Server) unsubscribe(ctx context.Context, req *unsubscribeRequest) (*httpapi.DoneReply, error) {
	if !s.Marks.Marked(req.Proof, req.Account, account.UnsubscribePurpose) {
		return nil, problem.New(problem.NotFound, "This link is not whole. Copy it from the letter, or log in and change it on your account page.")
	}
	err := s.Accounts.SetNotices(ctx, req.Account, false)
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true, Message: "You will get no more letters about your posts."}}, err
}
