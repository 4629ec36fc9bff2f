// Package admin serves secrets, credentials, the audit log and failed emails to founders.
package admin

import (
	"context"
	"errors"
	"time"

	"customerzero/api/auth"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	"customerzero/workflows"
)

// API implements the operations of this feature.
type API struct {
	httpapi.Deps
	Auth *auth.API
}

// Secrets lists which secrets are set.
type Secrets struct {
	Secrets        []Secret      `json:"secrets" doc:"Secrets that the product can use, and whether they are set"`
	MissingSecrets []string      `json:"missing_secrets" doc:"Names of unset secrets that real posting, email or payments need"`
	Environment    string        `json:"environment" doc:"Kind of installation" enum:"laptop,production"`
	Previous       *PreviousKeys `json:"previous_keys,omitempty" doc:"Previous X API keys, which rollBackProviderKeys restores; omitted if none are kept"`
	Hostname       string        `json:"hostname" doc:"Host name of the process that answered"`
	Worker         string        `json:"worker" doc:"Where workflows run"`
	Timestamp      time.Time     `json:"timestamp" doc:"Time of this answer"`
}

// Secret is the status of one secret.
type Secret struct {
	Name   string `json:"name" doc:"Name of the secret"`
	Status string `json:"status" doc:"set, unset, or a fingerprint of the value"`
}

// PreviousKeys are the app's replaced keys, which a founder can roll back to.
type PreviousKeys struct {
	Fingerprint string    `json:"fingerprint" doc:"Fingerprint of the keys"`
	KeptUntil   time.Time `json:"keptUntil" doc:"Time at which they are deleted"`
}

func (a *API) ListSecrets(ctx context.Context, _ *struct{}) (Secrets, error) {
	shown := Secrets{
		Secrets: []Secret{}, MissingSecrets: []string{}, Environment: a.Site.Environment(),
		Hostname: a.Site.Hostname, Worker: "Temporal, namespace " + a.Site.Namespace, Timestamp: a.Now(),
	}
	if err := a.showStored(ctx, &shown); err != nil {
		return Secrets{}, err
	}
	for _, setting := range a.Settings {
		status := "unset"
		if setting.Set {
			status = "set"
		} else {
			shown.MissingSecrets = append(shown.MissingSecrets, setting.Name)
		}
		shown.Secrets = append(shown.Secrets, Secret{setting.Name, status})
	}
	return shown, a.Audits.Audit(ctx, httpapi.Entry(ctx, a.Now(), audit.ReadSecrets, audit.Done, "The list of secrets was opened."))
}

func (a *API) showStored(ctx context.Context, shown *Secrets) error {
	keys, badKeys := a.Bot.ProviderKeys(ctx)
	connected, badConnection := a.Bot.Connection(ctx)
	previous, err := a.Bot.PreviousKeys(ctx)
	app, account := "unset", "unset"
	if keys != nil {
		app = "fingerprint " + keys.Fingerprint
	}
	if connected != nil {
		account = "fingerprint " + connected.Fingerprint
	}
	shown.Secrets = append(shown.Secrets, Secret{"X app: client id and secret", app}, Secret{"X account: access token and secret", account})
	if previous != nil && previous.EndsAt != nil {
		shown.Previous = &PreviousKeys{previous.Fingerprint, *previous.EndsAt}
	}
	return errors.Join(badKeys, badConnection, err)
}

// NewProviderKeys are new keys of the X app.
type NewProviderKeys struct {
	ClientID     string `json:"clientId" maxLength:"500" doc:"API key of the X app"`
	ClientSecret string `json:"clientSecret" doc:"API key secret of the X app" maxLength:"500"`
}

// ProviderKeysReply is the diagnostic's result for new keys.
type ProviderKeysReply struct {
	Success bool   `json:"success" doc:"True if the new keys work and are now in use"`
	Error   string `json:"error,omitempty" doc:"Human-readable problem and remedy; omitted on success"`
	Code    string `json:"code,omitempty" doc:"Machine-readable result of the diagnostic; omitted on success"`
	httpapi.RunRef
}

func (a *API) ReplaceProviderKeys(ctx context.Context, req *httpapi.Body[NewProviderKeys]) (ProviderKeysReply, error) {
	keys := bot.Keys{ConsumerKey: bot.Trim(req.Body.ClientID), ConsumerSecret: bot.Trim(req.Body.ClientSecret)}
	if err := bot.CheckKeys(keys); err != nil {
		return ProviderKeysReply{}, err
	}
	who := httpapi.CallerOf(ctx)
	var proposed bot.ProviderKeys
	err := a.auditStart(ctx, audit.ReplaceProviderKeys, func(ctx context.Context) (_, _ string, err error) {
		proposed, err = a.Bot.ProposeKeys(ctx, keys, who.AccountID(), a.Now())
		return workflows.ProviderKeysID(proposed.ID), "Keys " + proposed.Fingerprint + " are being tested.", err
	})
	if err != nil {
		return ProviderKeysReply{}, err
	}
	if err := a.Runs.ReplaceKeys(ctx, proposed.ID); err != nil {
		return ProviderKeysReply{}, err
	}
	decided, err := a.Bot.KeysByID(ctx, proposed.ID)
	if err != nil {
		return ProviderKeysReply{}, err
	}
	reply := ProviderKeysReply{Success: decided.State == bot.KeysCurrent, RunRef: httpapi.RunOf(workflows.ProviderKeysID(proposed.ID), decided.RunID)}
	if !reply.Success {
		reply.Error, reply.Code = decided.Reason, decided.Code
	}
	return reply, nil
}

func (a *API) RollBackProviderKeys(ctx context.Context, _ *struct{}) (httpapi.Done, error) {
	var message string
	err := httpapi.Audited(ctx, a.Audits, a.Now(), audit.RollBackProvider, func(ctx context.Context) (string, error) {
		back, err := a.Bot.RollBackKeys(ctx, a.Now())
		message = "Keys " + back.Fingerprint + " are in use again."
		return message, err
	})
	return httpapi.Done{Success: true, Message: message}, err
}

// Audit is a page of the audit log.
type Audit struct {
	Entries    []AuditEntry       `json:"entries" doc:"Audit entries, newest first"`
	Pagination httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// AuditEntry is one action of a founder.
type AuditEntry struct {
	ID      string        `json:"id" doc:"Entry ID"`
	At      time.Time     `json:"at" doc:"Time of the action"`
	Actor   string        `json:"actor" doc:"Handle of the founder, or the admin key"`
	Action  audit.Action  `json:"action" doc:"Machine-readable action"`
	Outcome audit.Outcome `json:"outcome" doc:"done, refused, or begun if a workflow run completes it"`
	Detail  string        `json:"detail" doc:"Human-readable description"`
	httpapi.RunRef
}

func (a *API) ListAudit(ctx context.Context, req *httpapi.PageQuery) (Audit, error) {
	entries, total, err := a.Audits.AuditEntries(ctx, req.Limit, req.Offset)
	return Audit{httpapi.Map(entries, func(e audit.Entry) AuditEntry {
		return AuditEntry{
			ID: e.ID, At: e.At, Actor: e.Actor, Action: e.Action, Outcome: e.Outcome, Detail: e.Detail, RunRef: httpapi.RunOf(e.WorkflowID, e.RunID),
		}
	}), req.Of(total)}, err
}

// FailedEmails are emails that could not be sent.
type FailedEmails struct {
	Emails []FailedEmail `json:"emails" doc:"Failed emails, at most 100"`
}

// FailedEmail is an email that could not be sent, without its recipient.
type FailedEmail struct {
	ID        string     `json:"id" doc:"Email ID, for retryEmail"`
	Kind      email.Kind `json:"kind" doc:"Template of the email"`
	Code      string     `json:"code" doc:"Machine-readable reason for the failure"`
	Reason    string     `json:"reason" doc:"Human-readable reason for the failure"`
	CreatedAt time.Time  `json:"createdAt" doc:"Time at which the email was requested"`
	httpapi.RunRef
}

func (a *API) ListFailedEmails(ctx context.Context, _ *struct{}) (FailedEmails, error) {
	const most = 100
	failed, err := a.Emails.FailedEmails(ctx, most)
	return FailedEmails{httpapi.Map(failed, func(m email.Message) FailedEmail {
		return FailedEmail{
			ID: m.ID, Kind: m.Kind, Code: m.Code, Reason: m.Reason, CreatedAt: m.CreatedAt, RunRef: httpapi.RunOf(workflows.EmailID(m.ID), m.RunID),
		}
	})}, err
}

func (a *API) RetryEmail(ctx context.Context, req *httpapi.ByID) (httpapi.Done, error) {
	err := a.auditStart(ctx, audit.RetryEmail, func(ctx context.Context) (_, _ string, err error) {
		revived, err := a.Emails.RetryEmail(ctx, req.ID, a.Now())
		return workflows.EmailID(req.ID), "A failed email (" + string(revived.Kind) + ") is sent again.", err
	})
	if err != nil {
		return httpapi.Done{}, err
	}
	a.Auth.SendEmail(ctx, req.ID)
	return httpapi.Done{Success: true, Message: "The email is being sent again."}, nil
}
