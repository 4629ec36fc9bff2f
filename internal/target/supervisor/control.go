package supervisor

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

// maxCommand limits the body of a command, in bytes.
const maxCommand = 1 << 16

// Handler serves commands to callers with the key.
func (s *Supervisor) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+target.PathInspect, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, s.Inspect()) })
	mux.HandleFunc("GET "+target.PathManifest, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, s.manifest) })
	mux.HandleFunc("POST "+target.PathFaults+"/{name}", s.command("break", s.handleBreak))
	mux.HandleFunc("POST "+target.PathLease, s.command("end the lease", s.handleLeaseEnd))
	mux.HandleFunc("POST "+target.PathFiles, s.command("restore files", s.handleRestoreFiles))
	mux.HandleFunc("POST "+target.PathDatabase, s.command("restore the database", func(ctx context.Context, _ *http.Request) (any, error) {
		return struct{}{}, s.runToEnd(ctx, s.RestoreDatabase)
	}))
	mux.HandleFunc("POST "+target.PathProcess, s.command("restart", func(ctx context.Context, _ *http.Request) (any, error) {
		return struct{}{}, s.runToEnd(ctx, s.Restart)
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusNotFound, target.Refusal{Error: "There is no such command."})
	})
	return s.authenticated(mux)
}

// authenticated compares hashes, so that the time shows neither the key's length nor a matching prefix.
func (s *Supervisor) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		digest := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(digest[:], s.key[:]) != 1 {
			reply(w, http.StatusUnauthorized, target.Refusal{Error: "The key is wrong."})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxCommand)
		next.ServeHTTP(w, r)
	})
}

// command executes a command, sends its result and logs it.
func (s *Supervisor) command(name string, run func(context.Context, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		answer, err := run(r.Context(), r)
		if err != nil {
			status, refusal := toRefusal(err)
			s.log.WarnContext(r.Context(), "supervisor: a command failed", "command", name, "path", r.URL.Path, "status", status, "error", err)
			reply(w, status, refusal)
			return
		}
		s.log.InfoContext(r.Context(), "supervisor: a command was run", "command", name, "path", r.URL.Path, "took", time.Since(begun))
		reply(w, http.StatusOK, answer)
	}
}

func (s *Supervisor) handleBreak(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.Break](r)
	if err != nil {
		return nil, err
	}
	var broken target.Broken
	err = s.runToEnd(ctx, func(ctx context.Context) error {
		broken, err = s.Break(ctx, r.PathValue("name"), in)
		return err
	})
	return broken, err
}

func (s *Supervisor) handleLeaseEnd(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.LeaseEnd](r)
	if err == nil && in.RunID == "" {
		err = problem.New(problem.Invalid, "`runId` is required.")
	}
	if err != nil {
		return nil, err
	}
	return struct{}{}, s.runToEnd(ctx, func(ctx context.Context) error { return s.EndLease(ctx, in.RunID) })
}

func (s *Supervisor) handleRestoreFiles(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.RestoreFiles](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, s.runToEnd(ctx, func(ctx context.Context) error { return s.RestoreFiles(ctx, in.Names) })
}

// read decodes a command. An empty body is the zero value.
func read[In any](r *http.Request) (in In, err error) {
	err = json.NewDecoder(r.Body).Decode(&in)
	if err != nil && !errors.Is(err, io.EOF) {
		return in, problem.New(problem.Invalid, "The command is not valid JSON.")
	}
	return in, nil
}

// answerTime limits the wait for a replica, and answerEvery is the interval of its checks. After a timeout it
// is started again, so a busy machine needs enough time.
const (
	answerTime  = 10 * time.Second
	answerEvery = 20 * time.Millisecond
)

// awaitHealthy returns when the replica's /healthz returns 200. The listener stays open, so the first request
// waits until the replica accepts it.
func (p *process) awaitHealthy(ctx context.Context, l *life) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // this replica only
	}
	again := time.NewTicker(answerEvery)
	defer again.Stop()
	result := make(chan bool, 1)
	for {
		go func() { result <- healthy(ctx, client, p.address) }()
		select {
		case <-l.done:
			return problem.New(problem.Unavailable, "The replica ended as soon as it was started.")
		case ok := <-result:
			if ok {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return problem.New(problem.Unavailable, "The replica was started but does not respond.")
		case <-again.C:
		}
	}
}

func healthy(ctx context.Context, client *http.Client, address string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/healthz", address), http.NoBody)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	return res.StatusCode == http.StatusOK
}

// dialable returns a listener's address for connections from this machine.
func dialable(address net.Addr) string {
	at, ok := address.(*net.TCPAddr)
	if ok && at.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port)
	}
	return address.String()
}

// statuses maps the supervisor's problems to HTTP statuses.
var statuses = map[problem.Code]int{
	problem.Invalid:       http.StatusBadRequest,
	problem.FaultUnknown:  http.StatusNotFound,
	problem.TargetRefused: http.StatusConflict,
	problem.Unavailable:   http.StatusServiceUnavailable,
}

// toRefusal converts an error to a message without details of the machine. Disk errors come first, because
// they cause others.
func toRefusal(err error) (int, target.Refusal) {
	refused, isProblem := errors.AsType[*problem.Error](err)
	switch {
	case isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG):
		return http.StatusInsufficientStorage, target.Refusal{Error: "There is no room left on the disk of the chaos target."}
	case isAny(err, syscall.EROFS, syscall.EACCES, syscall.EPERM):
		return http.StatusInternalServerError, target.Refusal{Error: "The directory of the chaos target is not writable."}
	case isProblem && statuses[refused.Code] != 0:
		return statuses[refused.Code], target.Refusal{Error: refused.Message}
	case errors.Is(err, confined.ErrNotPlain):
		return http.StatusConflict, target.Refusal{Error: "The directory of the chaos target contains a link or special file, which is left unchanged."}
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, target.Refusal{Error: "The supervisor was busy for too long."}
	}
	return http.StatusInternalServerError, target.Refusal{Error: "The command failed. See the supervisor's log."}
}

func isAny(err error, kinds ...syscall.Errno) bool {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
