package node

import (
	"bytes"
	"context"
	"crypto/md5" // names a version's manifest, as the server's own tool does
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/server/common/persistence"
	serverschema "go.temporal.io/server/schema"
)

var errNewer = errors.New("is newer than this server")

// schema is the tables of one database, as the server's module has them: one folder a version,
// each with what leads there from the one before. The server's own tool writes the same into
// the same tables, but not in one transaction.
type schema struct {
	database, folder, version string
}

// The tables in which a schema's version is kept, made as the server's tool makes them.
const versionTables = `
CREATE TABLE IF NOT EXISTS schema_version (
	version_partition INT NOT NULL, db_name VARCHAR(255) NOT NULL, creation_time TIMESTAMP,
	curr_version VARCHAR(64), min_compatible_version VARCHAR(64), PRIMARY KEY (version_partition, db_name));
CREATE TABLE IF NOT EXISTS schema_update_history (
	version_partition INT NOT NULL, year INT NOT NULL, month INT NOT NULL, update_time TIMESTAMP NOT NULL,
	description VARCHAR(255), manifest_md5 VARCHAR(64), new_version VARCHAR(64), old_version VARCHAR(64),
	PRIMARY KEY (version_partition, year, month, update_time))`

// ensure brings the schema up to date: entirely or, if it is interrupted, not at all.
func (s schema) ensure(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		current, err := s.current(ctx, tx)
		if err != nil {
			return err
		}
		if current.GT(semver.MustParse(s.version + ".0")) {
			// The server would go on. We have not tried that, and a server of the right version is at hand.
			return fmt.Errorf("the schema %d.%d of database %s %w, which knows %s; start the server that made it",
				current.Major, current.Minor, s.database, errNewer, s.version)
		}
		steps, err := s.after(current)
		for _, next := range steps {
			err = errors.Join(err, s.step(ctx, tx, current, next))
			current = next
		}
		return err
	})
}

// current is the version that the database has; 0.0 when it is empty.
func (s schema) current(ctx context.Context, tx pgx.Tx) (semver.Version, error) {
	var tables, ours int
	const count = `SELECT count(*), count(*) FILTER (WHERE table_name = 'schema_version') FROM information_schema.tables
		WHERE table_schema = current_schema()`
	if err := tx.QueryRow(ctx, count).Scan(&tables, &ours); err != nil {
		return semver.Version{}, err
	}
	if tables > 0 && ours == 0 {
		return semver.Version{}, fmt.Errorf("%s %w; choose another name with -databases", s.database, errForeign)
	}
	if _, err := tx.Exec(ctx, versionTables); err != nil {
		return semver.Version{}, err
	}
	var text string
	err := tx.QueryRow(ctx, "SELECT curr_version FROM schema_version WHERE version_partition = 0 AND db_name = $1", s.database).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return semver.Version{}, nil
	}
	if err != nil {
		return semver.Version{}, err
	}
	return semver.ParseTolerant(text)
}

// after lists the versions that come after one, in order.
func (s schema) after(current semver.Version) ([]semver.Version, error) {
	folders, err := fs.ReadDir(serverschema.Assets(), path.Join(s.folder, "versioned"))
	if err != nil {
		return nil, err
	}
	var later []semver.Version
	for _, folder := range folders {
		version, err := semver.ParseTolerant(folder.Name())
		if err != nil {
			return nil, err
		}
		if version.GT(current) {
			later = append(later, version)
		}
	}
	slices.SortFunc(later, semver.Version.Compare)
	return later, nil
}

// manifest is what a version says of itself.
type manifest struct {
	CurrVersion          string
	MinCompatibleVersion string
	Description          string
	SchemaUpdateCqlFiles []string
}

// step leads from one version to the next.
func (s schema) step(ctx context.Context, tx pgx.Tx, from, to semver.Version) error {
	folder := path.Join(s.folder, "versioned", fmt.Sprintf("v%d.%d", to.Major, to.Minor))
	text, err := fs.ReadFile(serverschema.Assets(), path.Join(folder, "manifest.json"))
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	for _, name := range m.SchemaUpdateCqlFiles {
		if err := execute(ctx, tx, path.Join(folder, name)); err != nil {
			return err
		}
	}
	now, sum := time.Now().UTC(), md5.Sum(text)
	if _, err := tx.Exec(ctx, `INSERT INTO schema_version (version_partition, db_name, creation_time, curr_version, min_compatible_version)
		VALUES (0, $1, $2, $3, $4) ON CONFLICT (version_partition, db_name) DO UPDATE SET creation_time = excluded.creation_time,
		curr_version = excluded.curr_version, min_compatible_version = excluded.min_compatible_version`,
		s.database, now, m.CurrVersion, m.MinCompatibleVersion); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO schema_update_history
		(version_partition, year, month, update_time, old_version, new_version, manifest_md5, description) VALUES (0, $1, $2, $3, $4, $5, $6, $7)`,
		now.Year(), int(now.Month()), now, fmt.Sprintf("%d.%d", from.Major, from.Minor), m.CurrVersion, hex.EncodeToString(sum[:]), m.Description)
	return err
}

// execute runs the statements of a file, told apart as the server's tool does it.
func execute(ctx context.Context, tx pgx.Tx, file string) error {
	text, err := fs.ReadFile(serverschema.Assets(), file)
	if err != nil {
		return err
	}
	statements, err := persistence.LoadAndSplitQueryFromReaders([]io.Reader{bytes.NewReader(text)})
	if err != nil {
		return err
	}
	for _, statement := range statements {
		// An index that spares readers cannot be made in a transaction. There are none: we have the lease.
		statement = strings.Replace(statement, "INDEX CONCURRENTLY", "INDEX", 1)
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", path.Base(file), err)
		}
	}
	return nil
}
