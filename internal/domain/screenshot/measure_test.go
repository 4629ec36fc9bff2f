package screenshot

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeasure(t *testing.T) {
	t.Parallel()
	stripes := sheet(100, 100)
	for x := 0; x < 100; x += 10 {
		box(stripes, image.Rect(x, 0, x+5, 100), black)
	}
	for name, tt := range map[string]struct {
		img              image.Image
		luminance, edges float64
		colours          []string
		blank            bool
	}{
		"white":                    {img: sheet(50, 20), luminance: 1, colours: []string{"#ffffff"}, blank: true},
		"black":                    {img: dark(50, 20), colours: []string{"#000000"}, blank: true},
		"one pixel":                {img: dark(1, 1), colours: []string{"#000000"}, blank: true},
		"nothing but transparency": {img: image.NewNRGBA(image.Rect(0, 0, 9, 9)), luminance: 1, colours: []string{"#ffffff"}, blank: true},
		"half and half":            {img: boxed(100, 100, image.Rect(0, 0, 100, 50)), luminance: 0.5, edges: 0.01, colours: []string{"#000000", "#ffffff"}},
		"stripes":                  {img: stripes, luminance: 0.5, edges: 0.19, colours: []string{"#000000", "#ffffff"}},
		"a speck is blank":         {img: boxed(100, 100, image.Rect(10, 10, 15, 20)), luminance: 0.995, edges: 0.0025, colours: []string{"#ffffff", "#000000"}, blank: true},
		"a little more is not":     {img: boxed(100, 100, image.Rect(10, 10, 15, 21)), luminance: 0.9945, edges: 0.0027, colours: []string{"#ffffff", "#000000"}},
		"sixteen bits":             {img: sixteen(), luminance: 0.5, colours: []string{"#808080"}, blank: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := Measure(encoded(t, tt.img))
			require.NoError(t, err)
			require.Equal(t, tt.img.Bounds().Dx(), m.Width)
			require.Equal(t, tt.img.Bounds().Dy(), m.Height)
			require.InDelta(t, tt.luminance, m.Luminance, 0.002)
			require.InDelta(t, tt.edges, m.Edges, 0.0006)
			require.Equal(t, tt.colours, m.Colours)
			require.Equal(t, tt.blank, m.Blank)
		})
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

func BenchmarkMeasure(b *testing.B) {
	data := encoded(b, page(1280, 3000))
	for b.Loop() {
		_, err := Measure(data)
		require.NoError(b, err)
	}
}
