package screenshot

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
)

// most is how many pixels a picture may have: 160 MB in memory.
const most = 40_000_000

var errNoPixels = errors.New("picture: it has no pixels")

// check reads the head of a PNG, which says how large it is before anything is taken for it.
func check(data []byte) error {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("picture: %w", err)
	}
	return bound(head.Width, head.Height)
}

func bound(width, height int) error {
	if width <= 0 || height <= 0 {
		return errNoPixels
	}
	if width > most/height {
		return fmt.Errorf("picture: %d × %d pixels are more than %d", width, height, most)
	}
	return nil
}

// decode reads a PNG, on white where it can be seen through.
func decode(data []byte) (*image.RGBA, error) {
	if err := check(data); err != nil {
		return nil, err
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	if opaque, ok := decoded.(*image.RGBA); ok {
		return opaque, nil // of three channels, as browsers write them: it is all opaque
	}
	flat := image.NewRGBA(decoded.Bounds())
	draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, decoded, decoded.Bounds().Min, draw.Over)
	return flat, nil
}

// luma is how bright a colour is, 0 to 255.
func luma(r, g, b uint8) int { return (299*int(r) + 587*int(g) + 114*int(b) + 500) / 1000 }
