// Package account serves a user's own account.
package account

import (
	"context"
	"strconv"
	"time"

	"customerzero/api/auth"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// API implements the operations of this feature.
type API struct {
	httpapi.Deps
	Auth *auth.API
}

// Account is the caller's account with its sessions.
type Account struct {
	Username string    `json:"username" doc:"X handle or member name, without @; empty if the account has neither"`
	Role     string    `json:"role" doc:"Role that decides which operations the caller may use" enum:"visitor,member,founder"`
	Email    string    `json:"email,omitempty" doc:"Verified email address; omitted if there is none"`
	MemberID string    `json:"memberId,omitempty" doc:"ID of the caller's membership; omitted if there is none"`
	Frozen   string    `json:"frozenReason,omitempty" doc:"Human-readable reason why the membership is frozen; omitted unless it is"`
	Notices  bool      `json:"notices" doc:"True if emails about failed, reviewed and recurring posts are sent"`
	Sessions []Session `json:"sessions" doc:"Sessions and tokens that have not expired"`
}

// Session is a login of a browser or a program.
type Session struct {
	ID        string    `json:"id" doc:"Session ID, for endSession"`
	Current   bool      `json:"current" doc:"True for the session that sent this request"`
	Provider  string    `json:"provider" doc:"Login method" enum:"x,email,dev"`
	Scope     string    `json:"scope,omitempty" doc:"Scope of a bearer token; omitted for a browser session"`
	Device    string    `json:"device" doc:"Browser and operating system at login"`
	CreatedAt time.Time `json:"createdAt" doc:"Time of the login"`
	SeenAt    time.Time `json:"seenAt" doc:"Time of the last use"`
	ExpiresAt time.Time `json:"expiresAt" doc:"Time at which the session expires if it is not used"`
}

func (a *API) GetAccount(ctx context.Context, _ *struct{}) (Account, error) {
	who := httpapi.CallerOf(ctx)
	sessions, err := a.Accounts.Sessions(ctx, who.Login.Account.ID, a.Now())
	return Account{
		Username: who.Login.Name(), Role: who.Role.String(), Notices: who.Login.Account.Notices,
		Email: httpapi.Deref(who.Login.Account.Email), MemberID: httpapi.Deref(who.Login.Account.MemberID), Frozen: who.Login.WhyFrozen,
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
	return &httpapi.SessionReply{SetCookie: httpapi.Cookies(a.Site.CloseSession()), Body: httpapi.Done{Success: true}}, err
}

// Notices turns emails about one's posts on or off.
type Notices struct {
	Wanted bool `json:"wanted" doc:"True to receive emails about the caller's posts"`
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
		Purpose: account.ForAddress, Account: &who.Login.Account, Address: address, Code: account.RandomCode(), Asker: who.Asker(a.Marks),
	})
	return httpapi.Done{Success: true, Message: auth.CheckMail}, err
}

// undoPath is the page that restores a replaced address; the token follows it.
const undoPath = "/auth/undo-email"

// AddressCode is the code that was emailed to a new address.
type AddressCode struct {
	Code string `json:"code" doc:"6-digit code from the email" minLength:"6" maxLength:"20"`
}

func (a *API) VerifyAddressCode(ctx context.Context, req *httpapi.Body[AddressCode]) (httpapi.Done, error) {
	who := httpapi.CallerOf(ctx)
	code, _ := account.ReadCode(req.Body.Code)
	undo := account.Undo{Token: account.NewToken()}
	undo.Facts = map[string]string{
		"UndoURL": a.Site.PublicURL + undoPath + "#" + undo.Token, "Days": strconv.Itoa(int(account.UndoLife.Hours() / 24)),
	}
	err := a.Accounts.RedeemAddress(ctx, account.Guess{
		Purpose: account.ForAddress, Subject: a.Marks.Mark(auth.Subject("account", who.Login.Account.ID), "subject"),
		Asker: who.Asker(a.Marks), Code: code,
	}, undo, who.Login.Session.ID, a.Now())
	return httpapi.Done{Success: true}, err
}

// UndoAddress needs no login: only the owner of the previous address has the link, and the user who changed the address may
// have the only session.
func (a *API) UndoAddress(ctx context.Context, req *httpapi.Body[auth.Activation]) (*httpapi.SessionReply, error) {
	err := a.Accounts.UndoAddress(ctx, req.Body.Token, a.Now())
	return &httpapi.SessionReply{SetCookie: httpapi.Cookies(a.Site.CloseSession()), Body: httpapi.Done{
		Success: true, Message: "Your previous email address is restored, and all sessions have ended. Log in with this address.",
	}}, err
}

type unsubscribeRequest struct {
	Account string `query:"account" doc:"Account ID from the email's link" required:"true" maxLength:"40"`
	Proof   string `query:"proof" required:"true" maxLength:"200" doc:"Signature from the email's link"`
	// RawBody is the form that mail clients send (RFC 8058). It is ignored.
	RawBody []byte `contentType:"application/x-www-form-urlencoded"`
}

// Unsubscribe needs no login: the proof in the link identifies the recipient of the email.
func (a *API) Unsubscribe(ctx context.Context, req *unsubscribeRequest) (httpapi.Done, error) {
	if !a.Marks.Marked(req.Proof, req.Account, account.UnsubscribePurpose) {
		return httpapi.Done{}, problem.New(problem.NotFound, "This link is incomplete, so nothing was changed. Copy it from the email again, or log in and unsubscribe on your account page.")
	}
	err := a.Accounts.SetNotices(ctx, req.Account, false)
	return httpapi.Done{Success: true, Message: "You won't get any more emails about your posts."}, err
}

// Username is a member's public name.
type Username struct {
	Username string `json:"username" minLength:"1" maxLength:"40" doc:"New name, with or without @; it should be the X handle"`
}

// ChosenUsername is the name as it was stored.
type ChosenUsername struct {
	Success  bool   `json:"success" doc:"Always true" enum:"true"`
	Username string `json:"username" doc:"Stored name, without @"`
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

// checkUnclaimed refuses the names of founders and of the bot, unless it is the caller's own X handle.
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
		return problem.New(problem.MemberExists, "@%s is the name of a founder or of the bot. Choose another name.", name)
	}
	return nil
}
