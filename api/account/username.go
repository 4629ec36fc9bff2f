package account

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// Username is the name that a member is listed under.
type Username struct {
	Username string `json:"username" minLength:"1" maxLength:"40" doc:"As on X, with or without @"`
}

// ChosenUsername is a name as it is kept.
type ChosenUsername struct {
	Success  bool   `json:"success" enum:"true"`
	Username string `json:"username" doc:"Without @"`
}

type usernameRequest struct{ Body Username }

type usernameReply struct{ Body ChosenUsername }

func (a *API) SetUsername(ctx context.Context, req *usernameRequest) (*usernameReply, error) {
	memberID, err := httpapi.MembershipOf(ctx)
	if err != nil {
		return nil, err
	}
	name, err := member.ParseUsername(req.Body.Username)
	if err != nil {
		return nil, err
	}
	if err := a.checkUnclaimed(ctx, name); err != nil {
		return nil, err
	}
	return &usernameReply{ChosenUsername{true, name}}, a.Members.RenameMember(ctx, memberID, name)
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
