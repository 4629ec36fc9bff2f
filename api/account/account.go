// Package account answers users about their own account.
package account

import (
	"context"
	"time"

	"customerzero/api/auth"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// API answers every operation of this feature.
type API struct {
	httpapi.Deps
	Auth *auth.API
}

// Account is how somebody logs in.
type Account struct {
	Username string    `json:"username"`
	Role     string    `json:"role" enum:"visitor,member,founder"`
	Email    string    `json:"email,omitempty"`
	MemberID string    `json:"memberId,omitempty"`
	Notices  bool      `json:"notices" doc:"Emails about one's posts: failed, to be decided, decided; and about recurring posts that were paused"`
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

func (a *API) GetAccount(ctx context.Context, _ *struct{}) (Account, error) {
	who := httpapi.CallerOf(ctx)
	sessions, err := a.Accounts.Sessions(ctx, who.Login.Account.ID, a.Now())
	return Account{
		Username: who.Login.Name(), Role: who.Role.String(), Notices: who.Login.Account.Notices,
		Email: httpapi.Deref(who.Login.Account.Email), MemberID: httpapi.Deref(who.Login.Account.MemberID),
		Sessions: httpapi.Map(sessions, func(s account.Session) Session {
			return Session{
				ID: s.ID, Current: s.ID == who.Login.Session.ID, Provider: string(s.Provider), Scope: string(s.Scope), Device: s.Device,
				CreatedAt: s.CreatedAt, SeenAt: s.SeenAt, ExpiresAt: s.ExpiresAt,
			}
		}),
	}, err
}

func (a *API) EndSession(ctx context.Context, req *httpapi.ByID) (httpapi.Done, error) {
	err := a.Accounts.EndSession(ctx, httpapi.CallerOf(ctx).Login.Account.ID, req.ID)
	return httpapi.Done{Success: true}, err
}

func (a *API) EndSessions(ctx context.Context, _ *struct{}) (*httpapi.SessionReply, error) {
	err := a.Accounts.EndSessions(ctx, httpapi.CallerOf(ctx).Login.Account.ID)
	return &httpapi.SessionReply{SetCookie: a.Site.CloseSession(), Body: httpapi.Done{Success: true}}, err
}

// Notices says whether somebody wants e-mails.
type Notices struct {
	Wanted bool `json:"wanted"`
}

func (a *API) SetNotices(ctx context.Context, req *httpapi.Body[Notices]) (httpapi.Done, error) {
	err := a.Accounts.SetNotices(ctx, httpapi.CallerOf(ctx).Login.Account.ID, req.Body.Wanted)
	return httpapi.Done{Success: true}, err
}

func (a *API) RequestAddressCode(ctx context.Context, req *httpapi.Body[auth.EmailLogin]) (httpapi.Done, error) {
	who := httpapi.CallerOf(ctx)
	address, err := account.Canonical(req.Body.Email)
	if err != nil {
		return httpapi.Done{}, err
	}
	err = a.Auth.MailCode(ctx, auth.Subject("account", who.Login.Account.ID), account.NewCode{
		Purpose: account.ForAddress, Account: &who.Login.Account, Address: address, Code: account.RandomCode(),
	})
	return httpapi.Done{Success: true, Message: auth.CheckMail}, err
}

// AddressCode is a code that was mailed to a new address.
type AddressCode struct {
	Code string `json:"code" minLength:"6" maxLength:"20"`
}

func (a *API) VerifyAddressCode(ctx context.Context, req *httpapi.Body[AddressCode]) (httpapi.Done, error) {
	who := httpapi.CallerOf(ctx)
	code, _ := account.ReadCode(req.Body.Code)
	err := a.Accounts.RedeemAddress(ctx, account.Guess{
		Purpose: account.ForAddress, Subject: a.Marks.Mark(auth.Subject("account", who.Login.Account.ID), "subject"),
		Visitor: who.Visitor(a.Marks), Code: code,
	}, a.Now())
	return httpapi.Done{Success: true}, err
}

type unsubscribeRequest struct {
	Account string `query:"account" required:"true" maxLength:"40"`
	Proof   string `query:"proof" required:"true" maxLength:"200" doc:"As it stands in the email's link"`
	// Mail programs send a form that says no more than that they mean it.
	RawBody []byte `contentType:"application/x-www-form-urlencoded"`
}

// Unsubscribe asks for no login: the link's proof says whose letter it stood in.
func (a *API) Unsubscribe(ctx context.Context, req *unsubscribeRequest) (httpapi.Done, error) {
	if !a.Marks.Marked(req.Proof, req.Account, account.UnsubscribePurpose) {
		return httpapi.Done{}, problem.New(problem.NotFound, "This link is not whole. Copy it from the email, or log in and change it on your account page.")
	}
	err := a.Accounts.SetNotices(ctx, req.Account, false)
	return httpapi.Done{Success: true, Message: "You will get no more emails about your posts."}, err
}

// Username is the name that a member is listed under.
type Username struct {
	Username string `json:"username" minLength:"1" maxLength:"40" doc:"As on X, with or without @"`
}

// ChosenUsername is a name as it is kept.
type ChosenUsername struct {
	Success  bool   `json:"success" enum:"true"`
	Username string `json:"username" doc:"Without @"`
}

func (a *API) SetUsername(ctx context.Context, req *httpapi.Body[Username]) (ChosenUsername, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	name, err := member.ParseUsername(req.Body.Username)
	if err != nil {
		return ChosenUsername{}, err
	}
	if err := a.checkUnclaimed(ctx, name); err != nil {
		return ChosenUsername{}, err
	}
	return ChosenUsername{true, name}, a.Members.RenameMember(ctx, memberID, name)
}

// checkUnclaimed refuses names that would pass a member for a founder or for the bot.
// Somebody whom X itself calls so may have it.
func (a *API) checkUnclaimed(ctx context.Context, name string) error {
	key := member.Key(name)
	if httpapi.Deref(httpapi.CallerOf(ctx).Login.Account.XHandleKey) == key {
		return nil
	}
	connected, err := a.Bot.Connection(ctx)
	if err != nil {
		return err
	}
	isBot := key == member.Key(a.Site.Username) || connected != nil && key == member.Key(connected.Username)
	if isBot || a.Founders.Include(name) {
		return problem.New(problem.MemberExists, "@%s is the name of a founder or of the bot. Choose another one.", name)
	}
	return nil
}
