// Package screenshot measures and compares PNGs pixel by pixel.
package screenshot

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"slices"

	"customerzero/internal/domain/verification"
)

// most is the maximum number of pixels: 160 MB in memory.
const most = 40_000_000

// check reads the PNG header to bound the size before decoding.
func check(data []byte) error {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("picture: %w", err)
	}
	return bound(head.Width, head.Height)
}

func bound(width, height int) error {
	if width <= 0 || height <= 0 {
		return errors.New("picture: no pixels")
	}
	if width > most/height {
		return fmt.Errorf("picture: %d × %d pixels are more than %d", width, height, most)
	}
	return nil
}

// decode decodes a PNG on a white background.
func decode(data []byte) (*image.RGBA, error) {
	if err := check(data); err != nil {
		return nil, err
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	if opaque, ok := decoded.(*image.RGBA); ok {
		return opaque, nil // RGB without alpha, as written by browsers
	}
	flat := image.NewRGBA(decoded.Bounds())
	draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, decoded, decoded.Bounds().Min, draw.Over)
	return flat, nil
}

// luma is the brightness of a color, 0 to 255.
func luma(r, g, b uint8) int { return (299*int(r) + 587*int(g) + 114*int(b) + 500) / 1000 }

const (
	// enough is the approximate number of pixels that are measured; larger pictures skip rows.
	enough = 4_000_000
	// jump is the difference in brightness that counts as an edge.
	jump = 24
	// blank is the share of one color from which a picture counts as blank.
	blank = 0.995
	// depth is the number of bits per channel that distinguish colors.
	depth = 5
)

// Measure measures a PNG.
func Measure(png []byte) (verification.Measured, error) {
	img, err := decode(png)
	if err != nil {
		return verification.Measured{}, err
	}
	return measure(img), nil
}

func measure(img *image.RGBA) verification.Measured {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	s := survey{shades: make([]shade, 1<<(3*depth))}
	for y := 0; y < height; y += 1 + width*height/enough {
		s.row(img, y)
	}
	m := verification.Measured{
		Width: width, Height: height,
		Luminance: float64(s.brightness) / float64(s.pixels) / 255,
		Edges:     float64(s.edges) / float64(s.pixels),
	}
	frequent := s.frequent(3)
	m.Blank = float64(frequent[0].n) >= blank*float64(s.pixels)
	for _, one := range frequent {
		m.Colours = append(m.Colours, one.String())
	}
	return m
}

// survey accumulates the measurements of rows.
type survey struct {
	pixels, brightness, edges int
	shades                    []shade
}

// shade sums the colors that count as one.
type shade struct{ n, r, g, b int }

// String is the mean color in CSS notation.
func (s shade) String() string {
	half := s.n / 2
	return fmt.Sprintf("#%02x%02x%02x", (s.r+half)/s.n, (s.g+half)/s.n, (s.b+half)/s.n)
}

// row measures a row. Each pixel is compared with its left and lower neighbors.
func (s *survey) row(img *image.RGBA, y int) {
	width := img.Rect.Dx()
	pixels := img.Pix[y*img.Stride:][:4*width]
	below := pixels
	if y+1 < img.Rect.Dy() {
		below = img.Pix[(y+1)*img.Stride:][:4*width]
	}
	before := luma(pixels[0], pixels[1], pixels[2])
	for i := 0; i < len(pixels); i += 4 {
		r, g, b := pixels[i], pixels[i+1], pixels[i+2]
		bright := luma(r, g, b)
		s.brightness += bright
		if apart(bright, before) || apart(bright, luma(below[i], below[i+1], below[i+2])) {
			s.edges++
		}
		before = bright
		one := &s.shades[int(r)>>(8-depth)<<(2*depth)|int(g)>>(8-depth)<<depth|int(b)>>(8-depth)]
		one.n, one.r, one.g, one.b = one.n+1, one.r+int(r), one.g+int(g), one.b+int(b)
	}
	s.pixels += width
}

func apart(a, b int) bool { return a-b > jump || b-a > jump }

// frequent returns the most frequent shades.
func (s *survey) frequent(most int) []shade {
	seen := slices.DeleteFunc(slices.Clone(s.shades), func(one shade) bool { return one.n == 0 })
	slices.SortStableFunc(seen, func(a, b shade) int { return b.n - a.n })
	return seen[:min(len(seen), most)]
}
