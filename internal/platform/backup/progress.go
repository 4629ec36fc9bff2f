package backup

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// Progress tells people how far long work is: nothing within the first second, and then once
// a second. A nil one tells nothing.
type Progress struct {
	Out  io.Writer
	What string // is being done

	began, said    time.Time
	rows, pictures int
}

func (p *Progress) row(n int) {
	if p != nil {
		p.rows += n
		p.say()
	}
}

func (p *Progress) picture() {
	if p != nil {
		p.pictures++
		p.say()
	}
}

func (p *Progress) say() {
	now := time.Now()
	if p.began.IsZero() {
		p.began, p.said = now, now
	}
	if now.Sub(p.said) < time.Second {
		return
	}
	p.said = now
	perSecond := float64(p.rows) / now.Sub(p.began).Seconds()
	_, _ = fmt.Fprintf(p.Out, "%s: %d rows and %d pictures so far, %.0f rows/s\n", p.What, p.rows, p.pictures, perSecond)
}

// Write counts lines that pass by.
func (p *Progress) Write(lines []byte) (int, error) {
	p.row(bytes.Count(lines, []byte{'\n'}))
	return len(lines), nil
}
