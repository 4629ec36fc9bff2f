package command

import (
	"log/slog"
	"net/http"

	smtpsandbox "customerzero/internal/sandbox/smtp"
	xsandbox "customerzero/internal/sandbox/x"
)

// sandboxes are those that up runs in place of what is not configured.
type sandboxes struct {
	x    *xsandbox.Server
	mail *smtpsandbox.Server
	url  string // of the pages of both
}

// mailPages is where the mail sandbox shows its letters; empty when there is none.
func (s sandboxes) mailPages() string {
	if s.mail == nil {
		return ""
	}
	return s.url
}

func newMailSandbox() *smtpsandbox.Server {
	return smtpsandbox.New(smtpsandbox.Config{Log: quietly()})
}

// sandboxPages serves the pages of both sandboxes, and X's own endpoints.
func sandboxPages(x *xsandbox.Server, mail *smtpsandbox.Server) http.Handler {
	mux := http.NewServeMux()
	if mail != nil {
		mux.Handle("/sandbox/mail", mail.Handler())
		mux.Handle("/sandbox/mail.json", mail.Handler())
		mux.Handle("/sandbox/mail/", mail.Handler())
	}
	if x != nil {
		mux.Handle("/", x.Handler())
	}
	return mux
}

// startSandboxes plays X and the mail server where the configuration names none.
func (u *upProcess) startSandboxes() error {
	if u.cfg.SMTPURL == "" {
		if err := u.startMailSandbox(); err != nil {
			return err
		}
	}
	if u.cfg.XBaseURL == "" {
		x, err := newSandbox(u.cfg)
		if err != nil {
			return err
		}
		u.stage.x = x
		u.later(func() { _ = x.Close() })
	}
	listener, err := listenNear(u.cfg.XSandboxAddr)
	if err != nil {
		return err
	}
	server := httpServer(sandboxPages(u.stage.x, u.stage.mail))
	server.WriteTimeout = 0 // some of their faults are slow on purpose
	go func() {
		if err := server.Serve(listener); err != http.ErrServerClosed {
			slog.Error("the sandboxes stopped", "error", err)
		}
	}()
	u.later(func() { _ = server.Close() })
	u.stage.url = "http://" + listener.Addr().String()
	if u.stage.x != nil {
		u.cfg = withSandbox(u.cfg, u.stage.url)
	}
	return nil
}

func (u *upProcess) startMailSandbox() error {
	listener, err := listenNear(u.cfg.SMTPSandboxAddr)
	if err != nil {
		return err
	}
	u.stage.mail = newMailSandbox()
	go func() { _ = u.stage.mail.Serve(listener) }()
	u.later(func() { _ = u.stage.mail.Close() })
	u.cfg.SMTPURL = "smtp://" + listener.Addr().String()
	return nil
}
