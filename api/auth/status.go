// Package auth logs users in and out, and diagnoses logging in with X.
package auth

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// AuthStatus describes the caller's login.
type AuthStatus struct {
	IsAuthenticated bool      `json:"isAuthenticated" doc:"True if the caller is logged in"`
	Provider        string    `json:"provider,omitempty" doc:"Login method; omitted for visitors" enum:"x,email,dev"`
	User            *AuthUser `json:"user,omitempty" doc:"The caller; omitted for visitors"`
	Role            string    `json:"role" doc:"Role that decides which operations the caller may use" enum:"visitor,member,founder"`
	Fresh           bool      `json:"fresh" doc:"True if the login is younger than 10 minutes, which some operations require"`
	Username        string    `json:"xUsername" doc:"The bot's handle, without @"`
	Sandbox         bool      `json:"sandbox" doc:"True if X is the built-in sandbox, so nothing reaches the real X"`
	Host            string    `json:"host" doc:"Name of the login provider, always X"`
}

// AuthUser is the logged-in user.
type AuthUser struct {
	Username string `json:"username" doc:"X handle or member name, without @; empty if the account has neither"`
	Avatar   string `json:"avatar,omitempty" doc:"Profile picture at X as a data URL; omitted if there is none"`
	MemberID string `json:"memberId,omitempty" doc:"ID of the caller's membership; omitted if there is none"`
}

func (a *API) AuthStatus(ctx context.Context, _ *struct{}) (AuthStatus, error) {
	who := httpapi.CallerOf(ctx)
	status := AuthStatus{Role: who.Role.String(), Username: a.Site.Username, Sandbox: a.Site.Sandbox, Host: "X"}
	if who.Login != nil {
		status.IsAuthenticated, status.Provider = true, string(who.Login.Session.Provider)
		status.Fresh = who.Login.Session.Fresh(a.Now())
		status.User = &AuthUser{Username: who.Login.Name(), Avatar: who.Login.Account.Avatar, MemberID: httpapi.Deref(who.Login.Account.MemberID)}
	}
	return status, nil
}

func (a *API) Logout(ctx context.Context, _ *struct{}) (*httpapi.SessionReply, error) {
	for _, login := range httpapi.CallerOf(ctx).Logins() {
		err := a.Accounts.EndSession(ctx, login.Account.ID, login.Session.ID)
		if err != nil && problem.CodeOf(err) != problem.NotFound { // another request may have ended it
			return nil, err
		}
	}
	return &httpapi.SessionReply{SetCookie: httpapi.Cookies(a.Site.CloseSession()), Body: httpapi.Done{Success: true}}, nil
}

// NewToken is a request for a bearer token.
type NewToken struct {
	Scope string `json:"scope" enum:"credentials" doc:"Operations that accept the token"`
}

// Token is a bearer token.
type Token struct {
	Success   bool      `json:"success" doc:"Always true" enum:"true"`
	Token     string    `json:"token" doc:"Bearer token, shown only once"`
	ExpiresAt time.Time `json:"expiresAt" doc:"Time at which the token expires"`
}

func (a *API) CreateToken(ctx context.Context, req *httpapi.Body[NewToken]) (Token, error) {
	who, token := httpapi.CallerOf(ctx), account.NewToken()
	opened, err := a.Accounts.OpenSession(ctx, account.NewSession{
		AccountID: who.Login.Account.ID, Token: token, Provider: who.Login.Session.Provider,
		Scope: account.Scope(req.Body.Scope), Device: "a program, from " + who.Login.Session.Device,
	}, a.Now())
	return Token{true, token, opened.ExpiresAt}, err
}
