package api

import (
	"bytes"
	"html"
	"io/fs"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

// page is a file with our address in it. It is part of the program: what was read once stays so.
type page struct {
	tag    string
	around [][]byte // what stands before, between and behind the places of the number
}

// sendPage fills in what nobody knew when the page was built. Its name is weak: each time it
// comes with another number, and says the same.
func (s *Server) sendPage(c *gin.Context, name string) {
	page, err := s.filledIn(name)
	if err != nil {
		httpapi.Refuse(c, problem.Internal, "The file could not be read.")
		return
	}
	nonce := newNonce()
	allowStyles(c, nonce)
	if named(c, page.tag) {
		text := texts.Get().(*bytes.Buffer)
		defer texts.Put(text)
		page.write(text, nonce)
		c.Data(http.StatusOK, kindOf(pageApp), text.Bytes())
	}
}

// texts are used again: most of what the front door cost was to clear them away.
var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (p *page) write(text *bytes.Buffer, nonce string) {
	text.Reset()
	for i, part := range p.around {
		if i > 0 {
			text.WriteString(nonce)
		}
		text.Write(part)
	}
}

// filledIn fills a page in, once.
func (s *Server) filledIn(name string) (*page, error) {
	if known, ok := s.pages.Load(name); ok {
		return known.(*page), nil
	}
	file, err := fs.ReadFile(s.UI, name)
	if err != nil {
		return nil, err
	}
	text := bytes.ReplaceAll(file, []byte(publicURLMark), []byte(html.EscapeString(s.Site.PublicURL)))
	filled := &page{tag: "W/" + tagOf(text), around: bytes.Split(text, []byte(styleNonceMark))}
	s.pages.Store(name, filled)
	return filled, nil
}
