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

// maxCommand is the most bytes of a command's body; all are far smaller.
const maxCommand = 1 << 16

// Handler serves the commands to callers that have the key.
func (k *Supervisor) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+target.PathInspect, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, k.Inspect()) })
	mux.HandleFunc("GET "+target.PathManifest, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, k.manifest) })
	mux.HandleFunc("POST "+target.PathFaults+"/{name}", k.command("break", k.handleBreak))
	mux.HandleFunc("POST "+target.PathLease, k.command("end the lease", k.handleLeaseEnd))
	mux.HandleFunc("POST "+target.PathFiles, k.command("restore files", k.handleRestoreFiles))
	mux.HandleFunc("POST "+target.PathDatabase, k.command("restore the database", func(ctx context.Context, _ *http.Request) (any, error) {
		return struct{}{}, k.runToEnd(ctx, k.RestoreDatabase)
	}))
	mux.HandleFunc("POST "+target.PathProcess, k.command("restart", func(ctx context.Context, _ *http.Request) (any, error) {
		return struct{}{}, k.runToEnd(ctx, k.Restart)
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusNotFound, target.Refusal{Error: "The supervisor knows no such command."})
	})
	return k.authenticated(mux)
}

// authenticated compares digests, so that neither the key's length nor its beginning shows in the time.
func (k *Supervisor) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		digest := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(digest[:], k.key[:]) != 1 {
			reply(w, http.StatusUnauthorized, target.Refusal{Error: "The key is wrong."})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxCommand)
		next.ServeHTTP(w, r)
	})
}

// command runs a command, replies with its result and logs it.
func (k *Supervisor) command(name string, run func(context.Context, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		answer, err := run(r.Context(), r)
		if err != nil {
			status, refusal := toRefusal(err)
			k.log.WarnContext(r.Context(), "supervisor: a command failed", "command", name, "path", r.URL.Path, "status", status, "error", err)
			reply(w, status, refusal)
			return
		}
		k.log.InfoContext(r.Context(), "supervisor: a command was run", "command", name, "path", r.URL.Path, "took", time.Since(begun))
		reply(w, http.StatusOK, answer)
	}
}

func (k *Supervisor) handleBreak(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.Break](r)
	if err != nil {
		return nil, err
	}
	var broken target.Broken
	err = k.runToEnd(ctx, func(ctx context.Context) error {
		broken, err = k.Break(ctx, r.PathValue("name"), in)
		return err
	})
	return broken, err
}

func (k *Supervisor) handleLeaseEnd(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.LeaseEnd](r)
	if err == nil && in.RunID == "" {
		err = problem.New(problem.Invalid, "The run must be named.")
	}
	if err != nil {
		return nil, err
	}
	return struct{}{}, k.runToEnd(ctx, func(ctx context.Context) error { return k.EndLease(ctx, in.RunID) })
}

func (k *Supervisor) handleRestoreFiles(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.RestoreFiles](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, k.runToEnd(ctx, func(ctx context.Context) error { return k.RestoreFiles(ctx, in.Names) })
}

// read decodes a command. One without a body is empty.
func read[In any](r *http.Request) (in In, err error) {
	err = json.NewDecoder(r.Body).Decode(&in)
	if err != nil && !errors.Is(err, io.EOF) {
		return in, problem.New(problem.Invalid, "The command is not valid JSON.")
	}
	return in, nil
}

// How long a replica may take to answer, and how often it is polled. After a timeout another one
// is started, so a busy machine must be given the time.
const (
	answerTime  = 10 * time.Second
	answerEvery = 20 * time.Millisecond
)

// awaitHealthy returns when /healthz of the replica answers 200. The first request is accepted as soon
// as the replica runs, because the listener was open all the time.
func (p *process) awaitHealthy(ctx context.Context, l *life) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	ask := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // of this replica only
	}
	again := time.NewTicker(answerEvery)
	defer again.Stop()
	said := make(chan bool, 1)
	for {
		go func() { said <- healthy(ctx, ask, p.address) }()
		select {
		case <-l.done:
			return problem.New(problem.Unavailable, "The replica ended as soon as it was started.")
		case yes := <-said:
			if yes {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return problem.New(problem.Unavailable, "The replica was started, but does not answer.")
		case <-again.C:
		}
	}
}

func healthy(ctx context.Context, ask *http.Client, address string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/healthz", address), http.NoBody)
	if err != nil {
		return false
	}
	res, err := ask.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	return res.StatusCode == http.StatusOK
}

// dialable is where a listener is reached from this machine.
func dialable(address net.Addr) string {
	at, ok := address.(*net.TCPAddr)
	if ok && at.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", at.Port)
	}
	return address.String()
}

// statuses are those of the problems that a supervisor has.
var statuses = map[problem.Code]int{
	problem.Invalid:       http.StatusBadRequest,
	problem.FaultUnknown:  http.StatusNotFound,
	problem.TargetRefused: http.StatusConflict,
	problem.Unavailable:   http.StatusServiceUnavailable,
}

// toRefusal puts an error into words that name nothing of the machine. A disk that takes nothing
// counts first: it is the reason of the rest.
func toRefusal(err error) (int, target.Refusal) {
	refused, isProblem := errors.AsType[*problem.Error](err)
	switch {
	case isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG):
		return http.StatusInsufficientStorage, target.Refusal{Error: "There is no room left on the disk of the chaos target."}
	case isAny(err, syscall.EROFS, syscall.EACCES, syscall.EPERM):
		return http.StatusInternalServerError, target.Refusal{Error: "The directory of the chaos target cannot be written to."}
	case isProblem && statuses[refused.Code] != 0:
		return statuses[refused.Code], target.Refusal{Error: refused.Message}
	case errors.Is(err, confined.ErrNotPlain):
		return http.StatusConflict, target.Refusal{Error: "Something in the directory of the chaos target is a link, or no plain file. It is not touched."}
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, target.Refusal{Error: "The supervisor was busy for too long."}
	}
	return http.StatusInternalServerError, target.Refusal{Error: "The supervisor could not do it. Its log says why."}
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
