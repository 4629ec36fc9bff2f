package chaos

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"customerzero/internal/domain/target"
)

// encoding is the version of the format in which probes are stored, four per second at about five bytes each.
//
//	byte    1, the version
//	varint  the base: milliseconds since 1970
//	uvarint number of samples, each:
//	  varint  milliseconds since the previous sample, or since the base
//	  uvarint duration in milliseconds
//	  uvarint failed checks, XOR those of the previous sample
//	  varint  process ID, minus that of the previous sample
//
// Before the first sample, no check failed and the process ID is 0.
const encoding = 1

// Upper bounds of numbers that Encode writes.
const (
	latest      = int64(253402300799999) // the last millisecond of year 9999
	longest     = math.MaxInt32          // milliseconds
	lastProcess = math.MaxInt32
	leastBytes  = 4 // per sample
)

// Encode encodes samples at millisecond precision.
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

// Decode decodes the output of Encode.
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
		failing ^= target.Failing(r.unsigned(math.MaxUint32)) //nolint:gosec // bounded by unsigned
		process += r.signed(lastProcess)
		if r.bad = r.bad || at < 0 || at > latest || process < 0 || process > lastProcess; r.bad {
			break
		}
		samples = append(samples, target.Sample{
			At: time.UnixMilli(at).UTC(), Took: time.Duration(took) * time.Millisecond, //nolint:gosec // bounded by unsigned
			Failing: failing, Process: int(process),
		})
	}
	if r.bad || r.Len() > 0 {
		return nil, fmt.Errorf("%d bytes of probes are damaged", len(data))
	}
	return samples, nil
}

// Samples decodes the parts of a run, which must be in order.
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

// reader reads bounded numbers; bad is set by the first invalid one.
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
