package screenshot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"github.com/orisano/pixelmatch"

	"customerzero/internal/domain/verification"
)

// tolerance is the color difference that pixelmatch ignores, 0 to 1. It also ignores different anti-aliasing.
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

// diff marks the changed pixels on a canvas that covers both pictures.
type diff struct {
	rect    image.Rectangle
	changed []bool
}

func newDiff(rect image.Rectangle) *diff {
	return &diff{rect, make([]bool, rect.Dx()*rect.Dy())}
}

func (d *diff) row(y int) []bool { return d.changed[y*d.rect.Dx():][:d.rect.Dx()] }

func (d *diff) count() (n int) {
	for _, changed := range d.changed {
		if changed {
			n++
		}
	}
	return n
}

// take reads the differences that pixelmatch drew for the part at a position.
func (d *diff) take(drawn *image.RGBA, at image.Point) {
	for y := range drawn.Rect.Dy() {
		row := d.row(at.Y + y)[at.X:]
		for x := range drawn.Rect.Dx() {
			row[x] = drawn.RGBAAt(x, y) == differs
		}
	}
}

// oneSided marks the area that only one picture has, except for masks.
func (d *diff) oneSided(a, b image.Rectangle, masks []verification.Rect) {
	if a == b {
		return
	}
	common := a.Intersect(b)
	for _, whole := range []image.Rectangle{a, b} {
		d.fill(image.Rect(common.Max.X, 0, whole.Max.X, whole.Max.Y), true)
		d.fill(image.Rect(0, common.Max.Y, whole.Max.X, whole.Max.Y), true)
	}
	for _, mask := range masks {
		d.fill(rectangle(mask), false)
	}
}

func (d *diff) fill(part image.Rectangle, changed bool) {
	part = part.Intersect(d.rect)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := d.row(y)[part.Min.X:part.Max.X]
		for x := range row {
			row[x] = changed
		}
	}
}

// halo is the margin around a changed pixel that makes single pixels visible.
const halo = 3

// strong is the palette index of the highlight color; the others are grays.
const strong = 255

var palette = func() color.Palette {
	p := make(color.Palette, strong+1)
	for i := range strong {
		p[i] = color.Gray{Y: uint8(i)}
	}
	p[strong] = color.RGBA{R: 0xe0, G: 0x00, B: 0x4d, A: 0xff}
	return p
}()

// mark draws the new picture in light gray and the changes in the highlight color.
func (d *diff) mark(seen *image.RGBA) ([]byte, error) {
	marked := image.NewPaletted(d.rect, palette)
	for i := range marked.Pix {
		marked.Pix[i] = strong - 1
	}
	for y := range seen.Rect.Dy() {
		row, pixels := marked.Pix[y*marked.Stride:], seen.Pix[y*seen.Stride:][:4*seen.Rect.Dx()]
		for x := 0; 4*x < len(pixels); x++ {
			row[x] = light(luma(pixels[4*x], pixels[4*x+1], pixels[4*x+2]))
		}
	}
	d.emphasise(marked)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&out, marked)
	return out.Bytes(), err
}

// light reduces the contrast to a third.
func light(luma int) uint8 { return uint8(strong - 1 - (255-luma)/3) } //nolint:gosec // 169 to 254

func (d *diff) emphasise(marked *image.Paletted) {
	for y := range d.rect.Dy() {
		for x, changed := range d.row(y) {
			if !changed {
				continue
			}
			around := image.Rect(x-halo, y-halo, x+halo+1, y+halo+1).Intersect(d.rect)
			for near := around.Min.Y; near < around.Max.Y; near++ {
				row := marked.Pix[near*marked.Stride:][around.Min.X:around.Max.X]
				for i := range row {
					row[i] = strong
				}
			}
		}
	}
}
