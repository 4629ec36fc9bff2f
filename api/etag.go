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

// bufferedReply buffers a reply until its ETag is compared with the request's If-None-Match.
type bufferedReply struct {
	gin.ResponseWriter
	body   bytes.Buffer
	status int // 0 if it is not set
}

func (a *bufferedReply) Write(part []byte) (int, error)       { return a.body.Write(part) }
func (a *bufferedReply) WriteString(part string) (int, error) { return a.body.WriteString(part) }
func (a *bufferedReply) WriteHeader(status int)               { a.status = status }
func (a *bufferedReply) WriteHeaderNow()                      {}
func (a *bufferedReply) Written() bool                        { return a.body.Len() > 0 }
func (a *bufferedReply) Size() int                            { return a.body.Len() }

func (a *bufferedReply) Status() int {
	if a.status == 0 {
		return a.ResponseWriter.Status()
	}
	return a.status
}

// send writes the buffered reply with an ETag, or 304 if the client has it.
func (a *bufferedReply) send(asked *http.Request) {
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
	_, _ = a.ResponseWriter.Write(a.body.Bytes()) // fails only if the client has left
}

// tagOf hashes the content, so that every replica sends the same ETag.
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// weaken makes the ETag of a compressed reply weak, because its bytes differ from the uncompressed ones.
func weaken(header http.Header) {
	if tag := header.Get("ETag"); header.Get("Content-Encoding") != "" && !strings.HasPrefix(tag, "W/") {
		header.Set("ETag", "W/"+tag)
	}
}

// notModified sends 304 without the headers that describe the cached reply. That includes the page policy, whose
// nonce is part of the cached page.
func notModified(w http.ResponseWriter) {
	for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Type", "Content-Security-Policy"} {
		w.Header().Del(name)
	}
	w.WriteHeader(http.StatusNotModified)
}
