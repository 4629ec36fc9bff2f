package screenshot

import (
	"bytes"
	"image"
	"image/color"
	"image/png"

	"customerzero/internal/domain/verification"
)

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
