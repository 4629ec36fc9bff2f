package browser

import (
	"context"

	"github.com/playwright-community/playwright-go"
)

// open makes an empty page that is listened to.
func (v *visit) open(ctx context.Context) (err error) {
	made, err := v.run.chrome.NewContext(v.run.settings(v.gate.Addr(), v.look))
	if err != nil {
		return err
	}
	v.ready(made)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	limit := float64(v.look.Within.Milliseconds()) // ours is first
	made.SetDefaultTimeout(limit)
	made.SetDefaultNavigationTimeout(limit)
	if v.page, err = made.NewPage(); err != nil {
		return err
	}
	v.listen(made)
	if v.devices, err = made.NewCDPSession(v.page); err != nil {
		return err
	}
	return v.traffic.follow(v.devices)
}

// listen registers for what a page may do to whom opens it.
func (v *visit) listen(made playwright.BrowserContext) {
	v.page.OnConsole(func(m playwright.ConsoleMessage) {
		if m.Type() == "error" {
			v.says.console(m.Text(), m.Location().URL)
		}
	})
	v.page.OnPageError(v.says.uncaught)
	v.page.OnDialog(func(d playwright.Dialog) {
		v.says.note("A dialog was closed.")
		_ = d.Dismiss()
	})
	v.page.OnDownload(func(playwright.Download) { v.says.note("A download was refused.") })
	v.page.OnCrash(func(playwright.Page) {
		select {
		case v.crashed <- struct{}{}:
		default: // told already
		}
	})
	made.OnPage(func(other playwright.Page) {
		v.says.note("A second window was closed.")
		go func() { _ = other.Close() }()
	})
}
