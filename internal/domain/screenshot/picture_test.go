package screenshot

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/verification"
)

var (
	white = color.RGBA{255, 255, 255, 255}
	black = color.RGBA{0, 0, 0, 255}
	blue  = color.RGBA{0x22, 0x8b, 0xe6, 255}
)

func sheet(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	box(img, img.Rect, white)
	return img
}

func box(img draw.Image, where image.Rectangle, c color.Color) {
	draw.Draw(img, where, image.NewUniform(c), image.Point{}, draw.Src)
}

// page draws a header bar and blocks that resemble text.
func page(width, height int) *image.RGBA {
	img := sheet(width, height)
	box(img, image.Rect(0, 0, width, 56), blue)
	random := rand.New(rand.NewPCG(7, 7))
	for y := 80; y+12 < height; y += 20 {
		for x := 40; x+8 < width-40; x += 9 {
			if random.IntN(5) > 0 {
				box(img, image.Rect(x, y, x+2+random.IntN(6), y+4+random.IntN(8)), color.Gray{Y: uint8(random.IntN(120))})
			}
		}
	}
	return img
}

func encoded(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, img))
	return out.Bytes()
}

// copied returns a copy to draw on.
func copied(img *image.RGBA) *image.RGBA {
	other := *img
	other.Pix = bytes.Clone(img.Pix)
	return &other
}

// claims returns a PNG header of that size without image data.
func claims(width, height uint32) []byte {
	head := []byte("IHDR\x00\x00\x00\x00\x00\x00\x00\x00\x08\x02\x00\x00\x00")
	binary.BigEndian.PutUint32(head[4:], width)
	binary.BigEndian.PutUint32(head[8:], height)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

func TestInvalidPictures(t *testing.T) {
	t.Parallel()
	good := encoded(t, page(60, 60))
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 0xff
	for name, data := range map[string][]byte{
		"nothing":                           nil,
		"a text":                            []byte("<html>"),
		"a head alone":                      []byte("\x89PNG\r\n\x1a\n"),
		"half a picture":                    good[:len(good)/2],
		"a bit that fell over":              flipped,
		"no width":                          claims(0, 10),
		"no height":                         claims(10, 0),
		"a size that it does not have":      claims(100, 100),
		"more pixels than there is memory":  claims(1<<31-1, 1<<31-1),
		"a little more pixels than it may":  claims(40_000, 1_001),
		"a width beyond what PNG can write": claims(1<<32-1, 1),
	} {
		_, err := Measure(data)
		require.Error(t, err, name)
		_, _, err = Compare(data, good, nil)
		require.Error(t, err, name)
		_, _, err = Compare(good, data, nil)
		require.Error(t, err, name)
	}
	t.Run("two of what is none are not the same picture", func(t *testing.T) {
		t.Parallel()
		for _, data := range [][]byte{nil, []byte("<html>"), claims(1<<31-1, 1<<31-1)} {
			_, _, err := Compare(data, data, nil)
			require.Error(t, err)
		}
	})
	t.Run("a wide one and a high one have no canvas", func(t *testing.T) {
		t.Parallel()
		_, _, err := Compare(encoded(t, sheet(50_000, 1)), encoded(t, sheet(1, 50_000)), nil)
		require.ErrorContains(t, err, "more than")
	})
}

// FuzzPicture checks that no input causes a panic.
func FuzzPicture(f *testing.F) {
	good := encoded(f, page(40, 40))
	f.Add(good, good)
	f.Add(good, good[:len(good)/2])
	f.Add(claims(5, 5), []byte{})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, data := range [][]byte{a, b} {
			if head, err := png.DecodeConfig(bytes.NewReader(data)); err == nil && head.Width*head.Height > 1_000_000 {
				return // large ones only slow the search; their bound is tested separately
			}
		}
		if m, err := Measure(a); err == nil {
			require.True(t, m.Luminance >= 0 && m.Luminance <= 1 && m.Edges >= 0 && m.Edges <= 1)
		}
		if changed, _, err := Compare(a, b, []verification.Rect{{X: -3, Y: 2, Width: 9, Height: 1 << 40}}); err == nil {
			require.True(t, changed >= 0 && changed <= 1)
		}
	})
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	stripes := sheet(100, 100)
	for x := 0; x < 100; x += 10 {
		box(stripes, image.Rect(x, 0, x+5, 100), black)
	}
	for name, tt := range map[string]struct {
		img              image.Image
		luminance, edges float64
		colors           []string
		blank            bool
	}{
		"white":                    {img: sheet(50, 20), luminance: 1, colors: []string{"#ffffff"}, blank: true},
		"black":                    {img: dark(50, 20), colors: []string{"#000000"}, blank: true},
		"one pixel":                {img: dark(1, 1), colors: []string{"#000000"}, blank: true},
		"nothing but transparency": {img: image.NewNRGBA(image.Rect(0, 0, 9, 9)), luminance: 1, colors: []string{"#ffffff"}, blank: true},
		"half and half":            {img: boxed(100, 100, image.Rect(0, 0, 100, 50)), luminance: 0.5, edges: 0.01, colors: []string{"#000000", "#ffffff"}},
		"stripes":                  {img: stripes, luminance: 0.5, edges: 0.19, colors: []string{"#000000", "#ffffff"}},
		"a speck is blank":         {img: boxed(100, 100, image.Rect(10, 10, 15, 20)), luminance: 0.995, edges: 0.0025, colors: []string{"#ffffff", "#000000"}, blank: true},
		"a little more is not":     {img: boxed(100, 100, image.Rect(10, 10, 15, 21)), luminance: 0.9945, edges: 0.0027, colors: []string{"#ffffff", "#000000"}},
		"sixteen bits":             {img: sixteen(), luminance: 0.5, colors: []string{"#808080"}, blank: true},
	} {
		m, err := Measure(encoded(t, tt.img))
		require.NoError(t, err, name)
		require.Equal(t, tt.img.Bounds().Dx(), m.Width, name)
		require.Equal(t, tt.img.Bounds().Dy(), m.Height, name)
		require.InDelta(t, tt.luminance, m.Luminance, 0.002, name)
		require.InDelta(t, tt.edges, m.Edges, 0.0006, name)
		require.Equal(t, tt.colors, m.Colours, name)
		require.Equal(t, tt.blank, m.Blank, name)
	}
}

func sixteen() image.Image {
	img := image.NewNRGBA64(image.Rect(0, 0, 30, 30))
	box(img, img.Rect, color.NRGBA64{0x8080, 0x8080, 0x8080, 0xffff})
	return img
}

func TestALargePictureIsMeasuredByItsRows(t *testing.T) {
	t.Parallel()
	m := measure(boxed(1000, 8500, image.Rect(0, 0, 1000, 4250)))
	require.Equal(t, []int{1000, 8500}, []int{m.Width, m.Height})
	require.Equal(t, []string{"#000000", "#ffffff"}, m.Colours)
	require.InDelta(t, 0.5, m.Luminance, 0.001)
	require.False(t, m.Blank)
}
