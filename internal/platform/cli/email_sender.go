package cli

import (
	"context"
	"errors"
	"maps"
	"net/url"

	"customerzero/internal/clients/smtp"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/platform/config"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
)

// emailSender hands e-mails of the outbox to the mail server.
type emailSender struct {
	sender *smtp.Sender
	marks  *keyring.Ring
	site   string
	bot    string // its handle
}

func newEmailSender(cfg config.Config, db *store.DB) (*emailSender, error) {
	sender, err := smtp.NewSender(smtp.Config{URL: cfg.SMTPURL, From: cfg.MailFrom, PublicURL: publicURL(cfg)})
	if err != nil {
		return nil, errors.New("SMTP_URL or MAIL_FROM cannot be used: SMTP_URL is of the form smtp://user:password@host:port")
	}
	return &emailSender{sender, db.Keys(), publicURL(cfg), "@" + cfg.XUsername}, nil
}

func (p *emailSender) Send(ctx context.Context, l email.Message, c email.Content) error {
	facts := smtp.Facts{ // the store does not know where they are
		"Bot": p.bot, "QueueURL": p.site + "/bot-operations", "SchedulerURL": p.site + "/scheduler", "ChaosURL": p.site + "/chaos-monkey",
		"PrivacyURL": p.site + "/privacy", "RunURL": p.site + "/runs/" + c.Facts["Run"],
	}
	maps.Copy(facts, c.Facts)
	return p.sender.Send(ctx, smtp.Letter{
		ID: l.ID, Kind: l.Kind, To: c.To, Facts: facts, Unsubscribe: p.unsubscribe(l),
	})
}

// unsubscribe is the link that ends such e-mails, with the proof whose it is.
func (p *emailSender) unsubscribe(l email.Message) string {
	if l.AccountID == nil {
		return ""
	}
	query := url.Values{"account": {*l.AccountID}, "proof": {p.marks.Mark(*l.AccountID, account.UnsubscribePurpose)}}
	return p.site + "/unsubscribe?" + query.Encode()
}
