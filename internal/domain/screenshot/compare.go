package screenshot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/orisano/pixelmatch"

	"customerzero/internal/domain/verification"
)

// tolerance is the color difference that pixelmatch ignores, 0 to 1. It also ignores different
// anti-aliasing.
const tolerance = 0.1

// painted covers masked parts.
var painted = image.NewUniform(color.RGBA{R: 128, G: 128, B: 128, A: 255})

// Compare returns the share of pixels that differ between two PNGs and a PNG that marks them, or nil if
// there are none. Masked parts are ignored; an area that only one picture has counts as different.
func Compare(approved, seen []byte, masks []verification.Rect) (changed float64, marked []byte, err error) {
	if bytes.Equal(approved, seen) {
		return 0, nil, check(seen)
	}
	before, after, err := both(approved, seen)
	if err != nil {
		return 0, nil, err
	}
	cover(before, masks)
	cover(after, masks)
	d := newDiff(before.Rect.Union(after.Rect))
	if err := d.compare(before, after); err != nil {
		return 0, nil, err
	}
	d.oneSided(before.Rect, after.Rect, masks)
	n := d.count()
	if n == 0 {
		return 0, nil, nil
	}
	marked, err = d.mark(after)
	return float64(n) / float64(len(d.changed)), marked, err
}

// both decodes two pictures and bounds their common canvas.
func both(approved, seen []byte) (before, after *image.RGBA, err error) {
	if before, err = decode(approved); err != nil {
		return nil, nil, fmt.Errorf("approved %w", err)
	}
	if after, err = decode(seen); err != nil {
		return nil, nil, fmt.Errorf("seen %w", err)
	}
	canvas := before.Rect.Union(after.Rect)
	return before, after, bound(canvas.Dx(), canvas.Dy())
}

// cover paints the masks before the comparison, so that masked pixels do not affect their neighbors.
func cover(img *image.RGBA, masks []verification.Rect) {
	for _, mask := range masks {
		draw.Draw(img, rectangle(mask), painted, image.Point{}, draw.Src)
	}
}

// rectangle converts a mask; a mask without an area is empty.
func rectangle(r verification.Rect) image.Rectangle {
	if r.Width <= 0 || r.Height <= 0 {
		return image.Rectangle{}
	}
	return image.Rectangle{Min: image.Pt(r.X, r.Y), Max: image.Pt(r.X+r.Width, r.Y+r.Height)}
}

// compare marks the differences in the common area. Most of a page is unchanged, so only the differing
// part, with the margin that pixelmatch needs, is compared.
func (d *diff) compare(before, after *image.RGBA) error {
	common := before.Rect.Intersect(after.Rect)
	part := unequal(before, after, common)
	if part.Empty() {
		return nil
	}
	return d.match(before, after, part.Inset(-reach).Intersect(common))
}

// match runs pixelmatch on a part of both pictures.
func (d *diff) match(before, after *image.RGBA, part image.Rectangle) error {
	var out image.Image
	// Drawing only the differences smears them downwards in this version of the library, so it draws
	// everything and the differences are identified by their color.
	_, err := pixelmatch.MatchPixel(crop(before, part), crop(after, part), pixelmatch.Threshold(tolerance),
		pixelmatch.DiffColor(differs), pixelmatch.AntiAliasedColor(smoothed), pixelmatch.WriteTo(&out))
	if err != nil {
		return fmt.Errorf("picture: %w", err)
	}
	drawn, ok := out.(*image.RGBA)
	if !ok { // nothing differs
		return nil
	}
	d.take(drawn, part.Min)
	return nil
}

// reach is the distance at which pixelmatch detects anti-aliasing.
const reach = 2

var (
	differs  = color.RGBA{R: 255, A: 255} // equal pixels are gray
	smoothed = color.RGBA{G: 255, A: 255}
)

// unequal returns the smallest rectangle that contains all differing pixels.
func unequal(a, b *image.RGBA, within image.Rectangle) (part image.Rectangle) {
	for y := within.Min.Y; y < within.Max.Y; y++ {
		rowA := a.Pix[a.PixOffset(within.Min.X, y):][:4*within.Dx()]
		rowB := b.Pix[b.PixOffset(within.Min.X, y):][:4*within.Dx()]
		if bytes.Equal(rowA, rowB) {
			continue
		}
		first, last := 0, len(rowA)-1
		for rowA[first] == rowB[first] {
			first++
		}
		for rowA[last] == rowB[last] {
			last--
		}
		part = part.Union(image.Rect(within.Min.X+first/4, y, within.Min.X+last/4+1, y+1))
	}
	return part
}

// crop copies a part, because the library reads past the end of sub-images.
func crop(img *image.RGBA, part image.Rectangle) *image.RGBA {
	copied := image.NewRGBA(image.Rectangle{Max: part.Size()})
	draw.Draw(copied, copied.Rect, img, part.Min, draw.Src)
	return copied
}
