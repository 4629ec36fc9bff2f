package browser

import (
	"bytes"
	"context"
	_ "embed" // the script
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"customerzero/internal/domain/verification"
)

const (
	calm  = 150 * time.Millisecond // without requests, after which a page counts as settled
	tries = 3                      // captures of a page that keeps navigating
)

var settled = 5 * time.Second // limit for pages that never settle; tests raise it

//go:embed idle.js
var idleScript string

// see opens the page and captures it.
func (v *visit) see(ctx context.Context) (seen verification.Capture, err error) {
	if err := v.open(ctx); err != nil {
		return seen, err
	}
	if err := v.navigate(); err != nil {
		return seen, err
	}
	for range tries {
		if !v.request.Quick {
			v.settle(ctx)
		}
		seen, err = v.capture()
		if !navigatedAway(err) {
			break
		}
	}
	return seen, err
}

// capture fails if the page navigates while it is captured. The screenshot comes first because the rest is
// slower.
func (v *visit) capture() (seen verification.Capture, err error) {
	if err := v.screenshot(&seen); err != nil {
		return seen, err
	}
	if v.isPage != nil && !v.isPage(v.page.URL()) { // the page led there
		return seen, errNotAllowed
	}
	if err := v.readPage(&seen.Facts); err != nil {
		return seen, err
	}
	return seen, v.finish(&seen.Facts)
}

func (v *visit) navigate() error {
	if !strings.HasPrefix(v.request.URL, "http://") && !strings.HasPrefix(v.request.URL, "https://") {
		return errNotAllowed // a proxy does not restrict file URLs
	}
	requested := time.Now()
	response, err := v.page.Goto(v.request.URL, playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateLoad})
	if err != nil {
		return err
	}
	v.loaded = time.Since(requested)
	if response == nil {
		return errNoDocument
	}
	v.status = response.Status()
	if u, err := url.Parse(response.URL()); err == nil && isRefused(v.proxy.Refused(), hostPort(u)) {
		return errNotAllowed
	}
	if v.status >= 400 && v.proxy.Bytes() == 0 {
		return errNoAnswer // the error page is the proxy's
	}
	return nil
}

// settle waits until the page sends no more requests and is done rendering: its thread is idle, its fonts are
// loaded, and no element is aria-busy. Playwright's networkidle takes at least 500 ms, never occurs on pages
// that poll, and ignores the rest.
func (v *visit) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settled)
	defer cancel()
	tick := time.NewTicker(calm / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if v.traffic.quiet(now) >= calm && v.idle() && v.traffic.quiet(time.Now()) >= calm {
				return
			}
		}
	}
}

// idle reports whether the page is done rendering. A page that cannot be evaluated is not.
func (v *visit) idle() (ready bool) {
	world, err := v.world()
	return err == nil && world.run(idleScript, &ready) == nil && ready
}

// finish adds the facts that were recorded during the visit. The page may have navigated by script.
func (v *visit) finish(f *verification.Facts) error {
	page, err := url.Parse(v.page.URL())
	if err != nil || isRefused(v.proxy.Refused(), hostPort(page)) {
		return errNotAllowed
	}
	bare := url.URL{Scheme: page.Scheme, Host: page.Host, Path: page.Path, RawPath: page.RawPath}
	f.FinalURL = cut(bare.String(), mostChars)
	f.Status = v.status
	f.Console, f.Notes = v.log.all()
	f.Failed = v.traffic.lines(page, v.proxy.Refused())
	f.Requests = v.traffic.requests()
	f.Bytes = v.proxy.Bytes()
	f.LoadMS = int(v.loaded.Milliseconds())
	f.TookMS = int(time.Since(v.begun).Milliseconds())
	f.Browser = v.run.version
	return nil
}

const mostTargets = 3

//go:embed axe.js
var axeScript string

// violation is one violation as axe reports it.
type violation struct {
	ID, Impact, Help string
	Targets          []string
	Count            int
}

// runAxe runs axe in the page, even if the page's own policy forbids scripts.
func (w *world) runAxe(axe string) ([]verification.Violation, error) {
	source, err := os.ReadFile(axe)
	if err != nil {
		return nil, missing("The accessibility checker axe is missing: run make build, or set BROWSER_DIR.")
	}
	var reported []violation
	if err := w.run(string(source)+"\n"+axeScript, &reported); err != nil {
		return nil, err
	}
	found := []verification.Violation{} // nil means that axe did not run
	for _, v := range reported[:min(len(reported), mostLines)] {
		targets := short(v.Targets)
		found = append(found, verification.Violation{
			Rule: cut(v.ID, mostChars), Impact: cut(v.Impact, mostChars), Help: cut(v.Help, mostChars),
			Targets: targets[:min(len(targets), mostTargets)], Count: v.Count,
		})
	}
	return found, nil
}

//go:embed read.js
var readScript string

type contents struct {
	Title, Text string
	Landmarks   []string
	Headings    int
}

// readPage adds the page's texts and structure, and axe's findings if requested.
func (v *visit) readPage(f *verification.Facts) error {
	world, err := v.world()
	if err != nil {
		return err
	}
	withText := strconv.FormatBool(!v.request.Quick)
	var page contents
	if err := world.run(strings.Replace(readScript, "TEXT", withText, 1), &page); err != nil {
		return err
	}
	f.Title, f.Text = cut(page.Title, mostChars), cutBytes(page.Text, mostText)
	f.Headings = page.Headings
	for _, landmark := range verification.Landmarks {
		if slices.Contains(page.Landmarks, landmark) {
			f.Landmarks = append(f.Landmarks, landmark)
		}
	}
	if v.request.Quick || !v.request.Axe {
		return nil
	}
	f.Axe, err = world.runAxe(v.run.axe)
	return err
}

// world is an isolated JavaScript world in the page: it shares the document, but not the page's changes to the
// language.
type world struct {
	visit *visit
	id    any
}

func (v *visit) world() (*world, error) {
	tree, err := v.send("Page.getFrameTree", nil)
	if err != nil {
		return nil, err
	}
	inner, _ := tree["frameTree"].(map[string]any)
	frame, _ := inner["frame"].(map[string]any)
	made, err := v.send("Page.createIsolatedWorld", map[string]any{"frameId": frame["id"], "worldName": "visit"})
	if err != nil {
		return nil, err
	}
	return &world{v, made["executionContextId"]}, nil
}

// run evaluates a script that returns JSON text, and decodes it into out.
func (w *world) run(script string, out any) error {
	reply, err := w.visit.send("Runtime.evaluate", map[string]any{
		"expression": script, "contextId": w.id, "returnByValue": true, "awaitPromise": true,
	})
	if err != nil {
		return err
	}
	if failed, ok := reply["exceptionDetails"].(map[string]any); ok {
		return fmt.Errorf("our script failed in the page: %v", failed["exception"])
	}
	result, _ := reply["result"].(map[string]any)
	return json.Unmarshal([]byte(text(result, "value")), out)
}

func (v *visit) send(method string, params map[string]any) (map[string]any, error) {
	reply, err := v.devtools.Send(method, params)
	if err != nil {
		return nil, err
	}
	answer, _ := reply.(map[string]any)
	return answer, nil
}

// tallest and widest limit the screenshot, in pixels.
const (
	tallest = 6000
	widest  = 2560
)

//go:embed layout.js
var layoutScript string

// layout is the page's size and its moving parts, in CSS pixels, which equal the screenshot's pixels.
type layout struct {
	Width, Height float64
	Left, Top     float64 // scroll position
	Moving        []struct{ X, Y, Width, Height float64 }
}

// screenshot measures the layout immediately before taking the picture, so that both agree.
func (v *visit) screenshot(seen *verification.Capture) error {
	world, err := v.world()
	if err != nil {
		return err
	}
	var page layout
	if err := world.run(layoutScript, &page); err != nil {
		return err
	}
	options, left, top := v.frame(page)
	if seen.PNG, err = v.page.Screenshot(options); err != nil {
		return err
	}
	size, err := png.DecodeConfig(bytes.NewReader(seen.PNG))
	if err != nil {
		return err
	}
	f := &seen.Facts
	f.Width, f.Height = size.Width, size.Height
	f.Cut = page.Height > float64(top+f.Height) || page.Width > float64(left+f.Width)
	f.Masks = masks(page, left, top, f.Width, f.Height)
	return nil
}

// frame returns the screenshot's options and the page position of its top left corner.
func (v *visit) frame(page layout) (o playwright.PageScreenshotOptions, left, top int) {
	o.Animations, o.Caret = playwright.ScreenshotAnimationsDisabled, playwright.ScreenshotCaretHide
	if v.request.Quick {
		return o, int(page.Left), int(page.Top)
	}
	o.FullPage = playwright.Bool(true)
	view := v.request.View.Viewport
	o.Clip = &playwright.Rect{
		Width:  min(max(page.Width, float64(view.Width)), widest),
		Height: min(max(page.Height, float64(view.Height)), tallest),
	}
	return o, 0, 0
}

// masks returns the moving parts in the picture's coordinates.
func masks(page layout, left, top, width, height int) (rects []verification.Rect) {
	for _, part := range page.Moving {
		x0, y0 := int(math.Floor(part.X))-left, int(math.Floor(part.Y))-top
		x1, y1 := int(math.Ceil(part.X+part.Width))-left, int(math.Ceil(part.Y+part.Height))-top
		x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
		if x1 > x0 && y1 > y0 {
			rects = append(rects, verification.Rect{X: x0, Y: y0, Width: x1 - x0, Height: y1 - y0})
		}
	}
	return rects
}
