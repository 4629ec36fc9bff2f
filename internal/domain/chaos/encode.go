package chaos

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"customerzero/internal/domain/target"
)

// Probes are stored for as long as runs are, four a second: about five bytes each.
//
//	byte    1, the version of this format
//	varint  the base: milliseconds since 1970
//	uvarint how many samples follow; each is
//	  varint  milliseconds since the sample before, or since the base
//	  uvarint milliseconds that it took
//	  uvarint the checks that failed, xor those of the sample before
//	  varint  the process, less that of the sample before
//
// The sample before the first had no failing checks and the process 0.
const encoding = 1

// The most that a number may be; more is nothing that Encode wrote.
const (
	latest      = int64(253402300799999) // the last millisecond of the year 9999
	longest     = math.MaxInt32          // milliseconds
	lastProcess = math.MaxInt32
	leastBytes  = 4 // of a sample
)

// Encode packs the samples of a stretch. They lose what is finer than a millisecond.
func Encode(base time.Time, samples []target.Sample) []byte {
	before := target.Sample{At: base}
	data := binary.AppendVarint([]byte{encoding}, base.UnixMilli())
	data = binary.AppendUvarint(data, uint64(len(samples)))
	for _, s := range samples {
		data = binary.AppendVarint(data, s.At.UnixMilli()-before.At.UnixMilli())
		data = binary.AppendUvarint(data, uint64(min(max(s.Took.Milliseconds(), 0), longest)))
		data = binary.AppendUvarint(data, uint64(s.Failing^before.Failing))
		s.Process = min(max(s.Process, 0), lastProcess)
		data = binary.AppendVarint(data, int64(s.Process-before.Process))
		before = s
	}
	return data
}

// Decode unpacks what Encode has packed.
func Decode(data []byte) ([]target.Sample, error) {
	r := reader{Reader: *bytes.NewReader(data)}
	if version, err := r.ReadByte(); err == nil && version != encoding {
		return nil, fmt.Errorf("probes have the format %d, not %d", version, encoding)
	}
	at, process := r.signed(latest), int64(0)
	count := r.unsigned(uint64(len(data) / leastBytes))
	var failing target.Failing
	var samples []target.Sample
	for range count {
		at += r.signed(2 * latest)
		took := r.unsigned(longest)
		failing ^= target.Failing(r.unsigned(math.MaxUint32)) //nolint:gosec // unsigned has looked
		process += r.signed(lastProcess)
		if r.bad = r.bad || at < 0 || at > latest || process < 0 || process > lastProcess; r.bad {
			break
		}
		samples = append(samples, target.Sample{
			At: time.UnixMilli(at).UTC(), Took: time.Duration(took) * time.Millisecond, //nolint:gosec // unsigned has looked
			Failing: failing, Process: int(process),
		})
	}
	if r.bad || r.Len() > 0 {
		return nil, fmt.Errorf("%d bytes of probes are damaged", len(data))
	}
	return samples, nil
}

// Samples unpacks the parts of a run, in their order.
func Samples(parts []Part) ([]target.Sample, error) {
	var all []target.Sample
	for _, p := range parts {
		some, err := Decode(p.Data)
		if err != nil {
			return nil, fmt.Errorf("part %d of run %s: %w", p.Part, p.RunID, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// reader takes numbers from the front of what is left, until one of them is bad.
type reader struct {
	bytes.Reader
	bad bool
}

func (r *reader) signed(most int64) int64 {
	n, err := binary.ReadVarint(r)
	if r.bad = r.bad || err != nil || n < -most || n > most; r.bad {
		return 0
	}
	return n
}

func (r *reader) unsigned(most uint64) uint64 {
	n, err := binary.ReadUvarint(r)
	if r.bad = r.bad || err != nil || n > most; r.bad {
		return 0
	}
	return n
}
