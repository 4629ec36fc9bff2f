package supervisor

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// largestOrder is far more than any order has.
const largestOrder = 1 << 16

// Handler takes orders from whoever has the key.
func (k *Supervisor) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+target.PathInspect, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, k.Inspect()) })
	mux.HandleFunc("GET "+target.PathManifest, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, k.manifest) })
	mux.HandleFunc("POST "+target.PathFaults+"/{name}", k.ordered("break", k.takeBreak))
	mux.HandleFunc("POST "+target.PathLease, k.ordered("end the lease", k.takeLeaseEnd))
	mux.HandleFunc("POST "+target.PathFiles, k.ordered("restore files", k.takeRestoreFiles))
	mux.HandleFunc("POST "+target.PathDatabase, k.ordered("restore the database", func(ctx context.Context, _ *http.Request) (any, error) {
		return struct{}{}, k.carryOut(ctx, k.RestoreDatabase)
	}))
	mux.HandleFunc("POST "+target.PathProcess, k.ordered("restart", func(ctx context.Context, _ *http.Request) (any, error) {
		return struct{}{}, k.carryOut(ctx, k.Restart)
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusNotFound, target.Refusal{Error: "The keeper knows no such order."})
	})
	return k.guarded(mux)
}

// guarded compares digests, so that neither the key's length nor its beginning shows in the time.
func (k *Supervisor) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		digest := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(digest[:], k.key[:]) != 1 {
			reply(w, http.StatusUnauthorized, target.Refusal{Error: "The key is wrong."})
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, largestOrder)
		next.ServeHTTP(w, r)
	})
}

// ordered carries an order out, answers it, and says so in the log.
func (k *Supervisor) ordered(order string, take func(context.Context, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		answer, err := take(r.Context(), r)
		if err != nil {
			status, refusal := refusalOf(err)
			k.log.WarnContext(r.Context(), "keeper: an order was not carried out", "order", order, "path", r.URL.Path, "status", status, "error", err)
			reply(w, status, refusal)
			return
		}
		k.log.InfoContext(r.Context(), "keeper: an order was carried out", "order", order, "path", r.URL.Path, "took", time.Since(begun))
		reply(w, http.StatusOK, answer)
	}
}

func (k *Supervisor) takeBreak(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.Break](r)
	if err != nil {
		return nil, err
	}
	var broken target.Broken
	err = k.carryOut(ctx, func(ctx context.Context) error {
		broken, err = k.Break(ctx, r.PathValue("name"), in)
		return err
	})
	return broken, err
}

func (k *Supervisor) takeLeaseEnd(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.LeaseEnd](r)
	if err == nil && in.RunID == "" {
		err = problem.New(problem.Invalid, "The run must be named.")
	}
	if err != nil {
		return nil, err
	}
	return struct{}{}, k.carryOut(ctx, func(ctx context.Context) error { return k.EndLease(ctx, in.RunID) })
}

func (k *Supervisor) takeRestoreFiles(ctx context.Context, r *http.Request) (any, error) {
	in, err := read[target.RestoreFiles](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, k.carryOut(ctx, func(ctx context.Context) error { return k.RestoreFiles(ctx, in.Names) })
}

// read reads an order. One without a body is empty.
func read[In any](r *http.Request) (in In, err error) {
	err = json.NewDecoder(r.Body).Decode(&in)
	if err != nil && !errors.Is(err, io.EOF) {
		return in, problem.New(problem.Invalid, "The order is not the JSON that it should be.")
	}
	return in, nil
}
