package rig

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
)

// EachStored hands over all that Temporal stores, piece by piece, as it lies on the disk.
func (s *Stage) EachStored(ctx context.Context, look func(name string, content []byte)) error {
	if s.cluster == nil {
		return s.eachFile(look)
	}
	database := s.cluster.TemporalDatabase()
	return errors.Join(
		s.eachPiece(ctx, database, "SELECT data FROM history_node", look),
		s.eachPiece(ctx, database, "SELECT data FROM executions", look),
		s.eachPiece(ctx, database+"_visibility", "SELECT convert_to(executions_visibility::text, 'UTF8') FROM executions_visibility", look))
}

func (s *Stage) eachFile(look func(name string, content []byte)) error {
	files, err := filepath.Glob(s.temporalFile() + "*")
	for _, file := range files {
		content, errRead := os.ReadFile(file)
		look(filepath.Base(file), content)
		err = errors.Join(err, errRead)
	}
	return err
}

func (s *Stage) eachPiece(ctx context.Context, database, query string, look func(name string, content []byte)) error {
	server, err := url.Parse(s.options.Postgres)
	if err != nil {
		return err
	}
	server.Path = "/" + database
	db, err := sql.Open("pgx", server.String())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	pieces, err := Rows(ctx, db, query, func(piece *[]byte) []any { return []any{piece} })
	for _, piece := range pieces {
		look("Temporal's database", piece)
	}
	return err
}
