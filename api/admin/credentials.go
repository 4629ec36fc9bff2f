package admin

import (
	"context"
	"errors"
	"strconv"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// CredentialStatus reports whether the bot has credentials.
type CredentialStatus struct {
	HasCredentials bool            `json:"hasCredentials" doc:"True if the bot is connected"`
	Credentials    *BotCredentials `json:"credentials,omitempty" doc:"The connected account; omitted if there is none"`
	WaitingPosts   int             `json:"waitingPosts" doc:"Number of scheduled posts, which need the connection"`
}

// BotCredentials describes the bot's credentials without their values.
type BotCredentials struct {
	Username    string    `json:"username" doc:"Handle of the X account, without @"`
	Fingerprint string    `json:"fingerprint" doc:"Fingerprint of the tokens"`
	CreatedAt   time.Time `json:"createdAt" doc:"Time at which the bot was connected"`
	Configured  bool      `json:"configured" doc:"True if the tokens come from the configuration; then there is no workflow run"`
	httpapi.RunRef
}

func (a *API) CredentialStatus(ctx context.Context, _ *struct{}) (CredentialStatus, error) {
	connected, badConnection := a.Bot.Connection(ctx)
	counts, err := a.Posts.CountByStatus(ctx, nil)
	status := CredentialStatus{HasCredentials: connected != nil, WaitingPosts: counts[post.StatusScheduled]}
	if connected != nil {
		status.Credentials = &BotCredentials{
			Username: connected.Username, Fingerprint: connected.Fingerprint, CreatedAt: connected.CreatedAt,
			Configured: connected.AccountID == nil,
		}
		if connected.RunID != "" {
			status.Credentials.RunRef = httpapi.RunOf(workflows.CredentialsID(connected.ID), connected.RunID)
		}
	}
	return status, errors.Join(badConnection, err)
}

// NewCredentials are the tokens of the bot's account.
type NewCredentials struct {
	AccessToken       string `json:"accessToken" doc:"Access token of the bot's X account" maxLength:"500"`
	AccessTokenSecret string `json:"accessTokenSecret" doc:"Access token secret of the bot's X account" maxLength:"500"`
}

// CredentialsReply is X's verdict on new tokens.
type CredentialsReply struct {
	Valid    bool   `json:"valid" doc:"True if X accepted the tokens and the bot now uses them"`
	Username string `json:"username,omitempty" doc:"Handle of the tokens' account, without @; omitted if they are not valid"`
	Error    string `json:"error,omitempty" doc:"Human-readable problem; omitted if the tokens are valid"`
	Code     string `json:"code,omitempty" doc:"Machine-readable problem; omitted if the tokens are valid"`
}

func (a *API) SetCredentials(ctx context.Context, req *httpapi.Body[NewCredentials]) (CredentialsReply, error) {
	tokens := bot.Tokens{AccessToken: bot.Trim(req.Body.AccessToken), AccessSecret: bot.Trim(req.Body.AccessTokenSecret)}
	if err := bot.CheckTokens(tokens); err != nil {
		return CredentialsReply{}, err
	}
	who := httpapi.CallerOf(ctx)
	if err := a.Limits.Consume(ctx, account.CredentialTries, who.Login.Account.ID, a.Now()); err != nil {
		return CredentialsReply{}, err
	}
	var proposed bot.Connection
	err := a.auditStart(ctx, audit.ConnectBot, func(ctx context.Context) (_, _ string, err error) {
		proposed, err = a.Bot.ProposeConnection(ctx, tokens, who.AccountID(), a.Now())
		return workflows.CredentialsID(proposed.ID), "Tokens " + proposed.Fingerprint + " are being tested.", err
	})
	if err != nil {
		return CredentialsReply{}, err
	}
	if err := a.Runs.TryConnection(ctx, proposed.ID); err != nil {
		return CredentialsReply{}, err
	}
	tried, err := a.Bot.ConnectionByID(ctx, proposed.ID)
	if err != nil {
		return CredentialsReply{}, err
	}
	return a.connected(ctx, tried)
}

func (a *API) connected(ctx context.Context, c bot.Connection) (CredentialsReply, error) {
	entry := httpapi.Entry(ctx, a.Now(), audit.ConnectBot, audit.Done, "The bot is connected as @"+c.Username+", tokens "+c.Fingerprint+".")
	entry.WorkflowID, entry.RunID = workflows.CredentialsID(c.ID), c.RunID
	reply := CredentialsReply{Valid: true, Username: c.Username}
	if c.State != bot.Current {
		entry.Outcome, entry.Detail = audit.Refused, "Tokens "+c.Fingerprint+" were refused: "+c.Reason
		reply = CredentialsReply{Error: c.Reason, Code: c.Code}
	}
	if err := a.Audits.Audit(ctx, entry); err != nil {
		return CredentialsReply{}, err
	}
	if c.Code == string(problem.Conflict) {
		return CredentialsReply{}, problem.New(problem.Conflict, "%s", c.Reason)
	}
	return reply, nil
}

// RemovedCredentials lists the posts that wait until the bot is connected again.
type RemovedCredentials struct {
	Success bool     `json:"success" doc:"Always true" enum:"true"`
	Message string   `json:"message" doc:"Confirmation to show to the user"`
	Waiting int      `json:"waiting" doc:"Number of scheduled posts that now wait"`
	Posts   []string `json:"posts" doc:"IDs of the waiting posts, next one first, at most 100"`
}

func (a *API) RemoveCredentials(ctx context.Context, _ *struct{}) (RemovedCredentials, error) {
	const most = 100
	var stopped []post.Post
	err := httpapi.Audited(ctx, a.Audits, a.Now(), audit.DisconnectBot, func(ctx context.Context) (_ string, err error) {
		stopped, err = a.Bot.Disconnect(ctx, a.Now())
		return strconv.Itoa(len(stopped)) + " scheduled posts wait.", err
	})
	if err != nil {
		return RemovedCredentials{}, err
	}
	reply := RemovedCredentials{Success: true, Waiting: len(stopped), Posts: []string{}, Message: "The bot is disconnected. No scheduled posts are affected."}
	if len(stopped) > 0 {
		reply.Message = "The bot is disconnected. " + httpapi.Count(len(stopped), "scheduled post waits", "scheduled posts wait") +
			" until it is connected again; none will fail."
	}
	for _, p := range stopped[:min(most, len(stopped))] {
		reply.Posts = append(reply.Posts, p.ID)
	}
	return reply, nil
}

// auditStart runs do, which stores work for a workflow, and records it in the audit log in one transaction.
func (a *API) auditStart(ctx context.Context, action audit.Action, do func(ctx context.Context) (workflowID, detail string, err error)) error {
	return a.Audits.Audited(ctx, func(ctx context.Context) ([]audit.Entry, error) {
		workflowID, detail, err := do(ctx)
		entry := httpapi.Entry(ctx, a.Now(), action, audit.Begun, detail)
		entry.WorkflowID = workflowID
		return []audit.Entry{entry}, err
	})
}
