package browser

import (
	"bytes"
	_ "embed"
	"image/png"
	"math"

	"github.com/playwright-community/playwright-go"

	"customerzero/internal/domain/verification"
)

// The most of a page that is shown, in pixels.
const (
	tallest = 6000
	widest  = 2560
)

//go:embed layout.js
var layoutScript string

// layout is how large the page is, and where its moving parts are, in CSS pixels: one is one of
// the picture.
type layout struct {
	Width, Height float64
	Left, Top     float64 // scrolled by
	Moving        []struct{ X, Y, Width, Height float64 }
}

// photograph measures and takes the picture, in this order and at once, so that both agree.
func (v *visit) photograph(seen *verification.Capture) error {
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

// frame says what of the page is shown, and where that begins.
func (v *visit) frame(page layout) (o playwright.PageScreenshotOptions, left, top int) {
	o.Animations, o.Caret = playwright.ScreenshotAnimationsDisabled, playwright.ScreenshotCaretHide
	if v.look.Quick {
		return o, int(page.Left), int(page.Top)
	}
	o.FullPage = playwright.Bool(true)
	view := v.look.View.Viewport
	o.Clip = &playwright.Rect{
		Width:  min(max(page.Width, float64(view.Width)), widest),
		Height: min(max(page.Height, float64(view.Height)), tallest),
	}
	return o, 0, 0
}

// masks are the moving parts as they are in the picture.
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
