package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
)

// heldAnswer holds an answer back until it is known whether the client has it already.
type heldAnswer struct {
	gin.ResponseWriter
	body   bytes.Buffer
	status int // 0: nobody has said
}

func (a *heldAnswer) Write(part []byte) (int, error)       { return a.body.Write(part) }
func (a *heldAnswer) WriteString(part string) (int, error) { return a.body.WriteString(part) }
func (a *heldAnswer) WriteHeader(status int)               { a.status = status }
func (a *heldAnswer) WriteHeaderNow()                      {}
func (a *heldAnswer) Written() bool                        { return a.body.Len() > 0 }
func (a *heldAnswer) Size() int                            { return a.body.Len() }

func (a *heldAnswer) Status() int {
	if a.status == 0 {
		return a.ResponseWriter.Status()
	}
	return a.status
}

// send names a whole answer by its content, and leaves out what the client has.
func (a *heldAnswer) send(asked *http.Request) {
	header := a.Header()
	if a.Status() == http.StatusNotModified {
		weaken(header)
		notModified(a.ResponseWriter)
		return
	}
	if a.Status() == http.StatusOK && header.Get("Cache-Control") != httpapi.NoStore {
		if header.Get("ETag") == "" {
			header.Set("ETag", tagOf(a.body.Bytes()))
		}
		weaken(header)
		if httpapi.Matches(asked.Header.Get("If-None-Match"), strings.TrimPrefix(header.Get("ETag"), "W/")) {
			notModified(a.ResponseWriter)
			return
		}
	}
	if a.status != 0 {
		a.ResponseWriter.WriteHeader(a.status)
	}
	if a.body.Len() == 0 {
		return
	}
	if header.Get("Content-Encoding") == "" {
		header.Set("Content-Length", strconv.Itoa(a.body.Len()))
	}
	_, _ = a.ResponseWriter.Write(a.body.Bytes()) // the client has gone
}

// tagOf is the same in every replica.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// weaken tells the name of the bytes from that of what they say: compressed they are others.
func weaken(header http.Header) {
	if tag := header.Get("ETag"); header.Get("Content-Encoding") != "" && !strings.HasPrefix(tag, "W/") {
		header.Set("ETag", "W/"+tag)
	}
}

// notModified leaves in force what the client was told with the answer that it has. That goes
// for the policy as well: a page's holds a number that stands in the page.
func notModified(w http.ResponseWriter) {
	for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Type", "Content-Security-Policy"} {
		w.Header().Del(name)
	}
	w.WriteHeader(http.StatusNotModified)
}
