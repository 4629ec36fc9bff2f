package screenshot

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/verification"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	before := page(400, 300)
	with := func(where image.Rectangle, c color.Color) *image.RGBA {
		img := copied(before)
		box(img, where, c)
		return img
	}
	seeThrough := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	for name, tt := range map[string]struct {
		approved, seen image.Image
		masks          []verification.Rect
		pixels, of     int
	}{
		"the same": {approved: before, seen: before, of: 1},
		"the same pixels, written in another way": {approved: before, seen: seenAsPaletted(), of: 1},
		"a box moved in":                     {approved: before, seen: with(image.Rect(100, 10, 140, 40), black), pixels: 1200, of: 120_000},
		"a single pixel":                     {approved: sheet(400, 300), seen: dotted(), pixels: 1, of: 120_000},
		"all of it":                          {approved: sheet(50, 40), seen: dark(50, 40), pixels: 2000, of: 2000},
		"an invisible shade":                 {approved: before, seen: with(image.Rect(0, 0, 400, 56), color.RGBA{0x24, 0x8c, 0xe6, 255}), of: 1},
		"in a part that moves":               {approved: before, seen: with(image.Rect(100, 10, 140, 40), black), masks: []verification.Rect{{X: 100, Y: 10, Width: 40, Height: 30}}, of: 1},
		"half in a part that moves":          {approved: before, seen: with(image.Rect(100, 10, 140, 40), black), masks: []verification.Rect{{X: 100, Y: 10, Width: 40, Height: 15}}, pixels: 600, of: 120_000},
		"two masks over the same part":       {approved: before, seen: with(image.Rect(100, 10, 140, 40), black), masks: []verification.Rect{{X: 90, Y: 0, Width: 60, Height: 50}, {X: 100, Y: 10, Width: 10, Height: 10}}, of: 1},
		"masks without an area hide nothing": {approved: before, seen: with(image.Rect(100, 10, 140, 40), black), masks: []verification.Rect{{X: 100, Y: 10}, {X: 150, Y: 50, Width: -60, Height: -60}}, pixels: 1200, of: 120_000},
		"a mask beyond the picture":          {approved: before, seen: before, masks: []verification.Rect{{X: 390, Y: -50, Width: 900, Height: 9000}}, of: 1},
		"a higher one":                       {approved: sheet(100, 100), seen: sheet(100, 150), pixels: 5000, of: 15_000},
		"a lower one":                        {approved: sheet(100, 150), seen: sheet(100, 100), pixels: 5000, of: 15_000},
		"a wider one":                        {approved: sheet(100, 100), seen: sheet(120, 100), pixels: 2000, of: 12_000},
		"a wider and a higher one: the corner that neither has is not changed": {approved: sheet(100, 50), seen: sheet(50, 100), pixels: 5000, of: 10_000},
		"higher, and the new part moves":                                       {approved: sheet(100, 100), seen: sheet(100, 150), masks: []verification.Rect{{X: 0, Y: 100, Width: 100, Height: 50}}, of: 1},
		"higher, and changed above":                                            {approved: sheet(100, 100), seen: boxed(100, 150, image.Rect(10, 10, 20, 20)), pixels: 5100, of: 15_000},
		"what can be seen through is on white":                                 {approved: sheet(400, 300), seen: seeThrough, of: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			approved, seen := encoded(t, tt.approved), encoded(t, tt.seen)
			changed, marked, err := Compare(approved, seen, tt.masks)
			require.NoError(t, err)
			require.InDelta(t, float64(tt.pixels)/float64(tt.of), changed, 1e-9)
			require.Equal(t, tt.pixels == 0, marked == nil, "there is a marked picture when something changed")
			back, _, err := Compare(seen, approved, tt.masks)
			require.NoError(t, err)
			require.InDelta(t, changed, back, 1e-9, "it is the same from the other side")
		})
	}
}

func boxed(width, height int, where image.Rectangle) *image.RGBA {
	img := sheet(width, height)
	box(img, where, black)
	return img
}

func dotted() *image.RGBA { return boxed(400, 300, image.Rect(200, 200, 201, 201)) }

func dark(width, height int) *image.RGBA {
	return boxed(width, height, image.Rect(0, 0, width, height))
}

// seenAsPaletted returns page(400, 300) as a paletted image.
func seenAsPaletted() image.Image {
	img := page(400, 300)
	var p color.Palette
	index := map[color.RGBA]bool{}
	for y := range 300 {
		for x := range 400 {
			if c := img.RGBAAt(x, y); !index[c] {
				index[c] = true
				p = append(p, c)
			}
		}
	}
	out := image.NewPaletted(img.Rect, p)
	for y := range 300 {
		for x := range 400 {
			out.Set(x, y, img.RGBAAt(x, y))
		}
	}
	return out
}

func TestALineThatIsSmoothedInAnotherWayIsTheSame(t *testing.T) {
	t.Parallel()
	slope := func(smooth bool) *image.RGBA {
		img := sheet(200, 100)
		for x := range 200 {
			box(img, image.Rect(x, x/2+1, x+1, 100), black)
			if smooth && x%2 == 1 {
				img.SetRGBA(x, x/2, color.RGBA{128, 128, 128, 255})
			}
		}
		return img
	}
	changed, _, err := Compare(encoded(t, slope(false)), encoded(t, slope(true)), nil)
	require.NoError(t, err)
	require.LessOrEqual(t, changed*20_000, 2.0, "of 100 smoothed pixels, only those at the rims count")

	single := slope(false)
	single.SetRGBA(101, 50, color.RGBA{128, 128, 128, 255})
	changed, marked, err := Compare(encoded(t, slope(false)), encoded(t, single), nil)
	require.NoError(t, err)
	require.Zero(t, changed, "the part that is compared has what is around it")
	require.Nil(t, marked)
}

func TestMarked(t *testing.T) {
	t.Parallel()
	_, marked, err := Compare(encoded(t, sheet(400, 300)), encoded(t, dotted()), nil)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(marked))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 400, 300), img.Bounds())
	strongs := 0
	for y := range 300 {
		for x := range 400 {
			r, g, b, _ := img.At(x, y).RGBA()
			if r != g || g != b {
				strongs++
				require.True(t, image.Pt(x, y).In(image.Rect(197, 197, 204, 204)), "%d %d", x, y)
			}
		}
	}
	require.Equal(t, 49, strongs, "a single pixel is marked with three around it")

	t.Run("at the rims, and where only the approved one was", func(t *testing.T) {
		t.Parallel()
		approved := boxed(60, 80, image.Rect(0, 0, 1, 1))
		_, marked, err := Compare(encoded(t, approved), encoded(t, sheet(60, 50)), nil)
		require.NoError(t, err)
		img, err := png.Decode(bytes.NewReader(marked))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, 60, 80), img.Bounds())
		for _, at := range []image.Point{{0, 0}, {3, 3}, {0, 79}, {59, 79}, {30, 47}} {
			require.Equal(t, palette[strong], img.At(at.X, at.Y), at)
		}
		for _, at := range []image.Point{{4, 4}, {30, 46}, {59, 0}} {
			require.NotEqual(t, palette[strong], img.At(at.X, at.Y), at)
		}
	})
}

// TestMasksHideExactly checks with random changes that masks hide their area and nothing else.
func TestMasksHideExactly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		chance := rand.New(rand.NewPCG(seed, 1))
		before, after := page(96, 72), page(96, 72)
		somewhere := func() image.Rectangle {
			x, y := chance.IntN(90), chance.IntN(66)
			return image.Rect(x, y, x+1+chance.IntN(30), y+1+chance.IntN(30))
		}
		noise := func(img *image.RGBA, where image.Rectangle) {
			for y := where.Min.Y; y < where.Max.Y; y++ {
				for x := where.Min.X; x < where.Max.X; x++ {
					img.Set(x, y, color.RGBA{uint8(chance.IntN(256)), uint8(chance.IntN(256)), uint8(chance.IntN(256)), 255})
				}
			}
		}
		noise(after, somewhere())
		hidden := somewhere()
		masks := []verification.Rect{{X: hidden.Min.X, Y: hidden.Min.Y, Width: hidden.Dx(), Height: hidden.Dy()}}
		want, _, err := Compare(encoded(t, before), encoded(t, after), masks)
		require.NoError(t, err)
		bare, _, err := Compare(encoded(t, before), encoded(t, after), nil)
		require.NoError(t, err)
		require.GreaterOrEqual(t, bare+1e-9, want-float64(2*(hidden.Dx()+hidden.Dy()+8))/6_912, "beside its rim a mask adds nothing")
		noise(before, hidden.Intersect(before.Rect))
		noise(after, hidden.Intersect(after.Rect))
		got, _, err := Compare(encoded(t, before), encoded(t, after), masks)
		require.NoError(t, err)
		require.InDelta(t, want, got, 1e-12, "seed %d", seed)
		self, marked, err := Compare(encoded(t, after), encoded(t, after), nil)
		require.NoError(t, err)
		require.Zero(t, self)
		require.Nil(t, marked)
	}
}

// TestOnlyAPartIsCompared checks that the cropped comparison equals that of whole pictures.
func TestOnlyAPartIsCompared(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		chance := rand.New(rand.NewPCG(seed, 2))
		before, after := page(90, 120), page(90, 120)
		for range 1 + chance.IntN(40) {
			x, y := chance.IntN(90), chance.IntN(120)
			after.Set(x, y, color.Gray{Y: uint8(chance.IntN(256))})
		}
		cropped, whole := newDiff(before.Rect), newDiff(before.Rect)
		require.NoError(t, cropped.compare(before, after))
		require.NoError(t, whole.match(before, after, before.Rect))
		require.Equal(t, whole.changed, cropped.changed, "seed %d", seed)
	}
}
