package chaos

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
)

func everySecond(samples ...target.Sample) []target.Sample {
	for i := range samples {
		samples[i].At = injected.Add(time.Duration(i) * time.Second)
	}
	return samples
}

func TestEncodedSamplesComeBack(t *testing.T) {
	t.Parallel()
	all := target.Failed(target.Checks()...)
	backwards := everySecond(target.Sample{}, target.Sample{})
	backwards[0], backwards[1] = backwards[1], backwards[0]
	for name, tt := range map[string]struct{ samples, want []target.Sample }{
		"none": {nil, nil},
		"healthy, broken, healthy, with another process": {
			want: everySecond(target.Sample{Took: 5 * time.Millisecond, Process: 4321}, target.Sample{Took: time.Second, Failing: all},
				target.Sample{Took: 7 * time.Millisecond, Failing: target.Failed(target.CheckWorker), Process: 99}, target.Sample{Process: 99}),
		},
		"every bit, and the largest numbers": {want: everySecond(target.Sample{Failing: 1<<32 - 1, Process: lastProcess, Took: longest * time.Millisecond}, target.Sample{})},
		"a clock that was set back":          {want: backwards},
		"what is finer than a millisecond is lost": {
			[]target.Sample{{At: injected.Add(1999 * time.Microsecond), Took: 2500 * time.Microsecond}},
			[]target.Sample{{At: injected.Add(time.Millisecond), Took: 2 * time.Millisecond}},
		},
		"another zone becomes UTC": {[]target.Sample{{At: injected.In(time.FixedZone("", 3600))}}, []target.Sample{{At: injected}}},
		"numbers that cannot be": {
			[]target.Sample{{At: injected, Took: -1, Process: -1}, {At: injected, Took: 1 << 62, Process: 1 << 40}},
			[]target.Sample{{At: injected}, {At: injected, Took: longest * time.Millisecond, Process: lastProcess}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.samples == nil {
				tt.samples = tt.want
			}
			got, err := Decode(Encode(injected.Add(time.Minute), tt.samples))
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

// TestEncodedBytesStay pins the stored format.
func TestEncodedBytesStay(t *testing.T) {
	t.Parallel()
	samples := everySecond(target.Sample{Took: 5 * time.Millisecond, Process: 1000},
		target.Sample{Took: 200 * time.Millisecond, Failing: target.Failed(target.FileCheck(target.FileSettings), target.CheckAPI)},
		target.Sample{Took: 6 * time.Millisecond, Process: 1001})
	const golden = "0180b8c996c06803" + "000500d00f" + "d00fc801818040cf0f" + "d00f06818040d20f"
	data := Encode(injected, samples)
	require.Equal(t, golden, hex.EncodeToString(data))
	got, err := Decode(data)
	require.NoError(t, err)
	require.Equal(t, samples, got)
}

// TestHalfAMinuteOfProbesIsSmall encodes the worst case, in which every check changes with every probe.
func TestHalfAMinuteOfProbesIsSmall(t *testing.T) {
	t.Parallel()
	var samples []target.Sample
	for i := range 120 {
		s := target.Sample{At: injected.Add(time.Duration(i) * 253 * time.Millisecond), Took: time.Duration(i+100) * time.Millisecond, Process: 30_000 + i}
		if i%2 == 0 {
			s.Failing = target.Failed(target.Checks()...)
		}
		samples = append(samples, s)
	}
	require.Less(t, len(Encode(injected, samples)), 1500)
}

func TestDamagedProbesAreRefused(t *testing.T) {
	t.Parallel()
	data := Encode(injected, probes("..|xx.."))
	for length := range data {
		_, err := Decode(data[:length])
		require.Error(t, err, "cut to %d bytes", length)
	}
	for name, damaged := range map[string][]byte{
		"more than there should be": append(data[:len(data):len(data)], 0),
		"another version":           append([]byte{2}, data[1:]...),
		"more samples than bytes":   {1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"a time before 1970":        {1, 0, 1, 1, 0, 0, 0},
		"a process below zero":      {1, 0, 1, 0, 0, 0, 1},
		"too many checks":           {1, 0, 1, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x10, 0},
		"a number without an end":   {1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
	} {
		_, err := Decode(damaged)
		require.Error(t, err, name)
	}
}

func TestSamplesJoinsParts(t *testing.T) {
	t.Parallel()
	samples := probes("..|xx..")
	got, err := Samples([]Part{
		{RunID: "a", Part: 0, Data: Encode(injected, samples[:2])}, {RunID: "a", Part: 1, Data: Encode(injected, samples[2:])},
	})
	require.NoError(t, err)
	require.Equal(t, samples, got)
	_, err = Samples([]Part{{RunID: "a", Part: 3, Data: []byte{9}}})
	require.EqualError(t, err, "part 3 of run a: probes have the format 9, not 1")
}

// FuzzDecode checks that decoded samples survive a round trip.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0})
	f.Add(Encode(injected, probes("..|xx..")))
	f.Add([]byte{1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		samples, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(Encode(injected, samples))
		require.NoError(t, err)
		require.Equal(t, samples, again)
	})
}
