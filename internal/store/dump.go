package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"customerzero/internal/platform/keyring"
)

// Snapshot is one moment of the database, for a backup. It excludes later writes, and blocks none of
// them.
type Snapshot struct {
	ctx     context.Context // it is the transaction's, and ends with it
	tx      *sql.Tx
	dialect string

	Version int64 // of the schema
	Tables  []Table
}

// Dialect is which database it is: postgres or sqlite.
func (s *Snapshot) Dialect() string { return s.dialect }

// Snapshot shows one moment of the database, in a transaction that only reads.
func (s *DB) Snapshot(ctx context.Context, use func(*Snapshot) error) error {
	pool, err := s.gorm.DB()
	if err != nil {
		return err
	}
	options := &sql.TxOptions{ReadOnly: true} // SQLite begins without the writers' lock then
	if s.dialect == "postgres" {
		options.Isolation = sql.LevelRepeatableRead
	}
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	moment := &Snapshot{ctx: ctx, tx: tx, dialect: s.dialect}
	if moment.Version, err = versionOf(ctx, tx, s.dialect); err != nil {
		return err
	}
	own, err := s.schemaVersion()
	if err != nil {
		return err
	}
	switch moment.Version {
	case own:
	case 0:
		return errors.New("the database holds nothing of ours yet")
	default:
		return fmt.Errorf("the schema of the database is %d, and this program's is %d: back it up with the program that it belongs to", moment.Version, own)
	}
	if moment.Tables, err = tablesOf(ctx, tx, s.dialect); err != nil {
		return err
	}
	return use(moment)
}

// Images are those that the rows name, with those of the newest so many chaos runs. It is as
// PicturesInUse says.
func (s *Snapshot) Images(chaosRuns int) ([]string, error) {
	query := "SELECT image_hash FROM (" + imagesInUse + ") AS named WHERE image_hash <> '' ORDER BY image_hash"
	rows, err := s.tx.QueryContext(s.ctx, placed(s.dialect, query), chaosRuns)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var keys []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// EncryptedWith is a key that stored secrets need, with one of them to try it on.
type EncryptedWith struct {
	KeyID      string `json:"key"`
	Secrets    int    `json:"secrets"`
	ID         string `json:"id"`
	Ciphertext string `json:"ciphertext"`
}

// Keys lists the keys without which the snapshot's secrets stay closed.
func (s *Snapshot) Keys() ([]EncryptedWith, error) {
	rows, err := s.tx.QueryContext(s.ctx, `SELECT u.key_id, u.n, s.id, s.ciphertext FROM secrets s
JOIN (SELECT key_id, count(*) AS n, min(id) AS id FROM secrets GROUP BY key_id) u ON u.id = s.id ORDER BY u.key_id`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var keys []EncryptedWith
	for rows.Next() {
		var key EncryptedWith
		if err := rows.Scan(&key.KeyID, &key.Secrets, &key.ID, &key.Ciphertext); err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, rows.Err()
}

// OpensWith says whether the ring opens what the key sealed.
func (k EncryptedWith) OpensWith(ring *keyring.Ring) error {
	_, err := ring.Open(k.Ciphertext, secretPlace(k.ID))
	return keyTrouble(err, k.KeyID, k.Secrets)
}

// migrationTable is goose's own: the schema's version, which every schema writes for itself.
const migrationTable = "goose_db_version"

// kind is what a column holds, whatever its database calls it.
type kind string

const (
	kindText    kind = "text"
	kindInteger kind = "integer"
	kindBoolean kind = "boolean"
	kindReal    kind = "real"
	kindTime    kind = "time"
	kindBytes   kind = "bytes"
)

var kinds = map[string]kind{
	"text": kindText, "integer": kindInteger, "bigint": kindInteger, "boolean": kindBoolean,
	"double precision": kindReal, "real": kindReal, "timestamp with time zone": kindTime, "datetime": kindTime,
	"bytea": kindBytes, "blob": kindBytes,
}

// Table is one of ours. Its columns are in the order of their names, so that both databases
// write the same lines.
type Table struct {
	Name    string
	columns []column
}

type column struct {
	name  string
	kind  kind
	place int // in the primary key; -1: not in it
}

const (
	postgresColumns = `SELECT c.relname, a.attname, format_type(a.atttypid, NULL), COALESCE(array_position(i.indkey::int2[], a.attnum), -1)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`
	sqliteColumns = `SELECT m.name, p.name, lower(p.type), p.pk - 1
FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND substr(m.name, 1, 7) <> 'sqlite_'`
)

// reader is a database, or a transaction of it.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// tablesOf asks the database's own catalogue, so that no table can be forgotten.
func tablesOf(ctx context.Context, db reader, dialect string) ([]Table, error) {
	query := postgresColumns
	if dialect == "sqlite" {
		query = sqliteColumns
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := map[string][]column{}
	for rows.Next() {
		var table, declared string
		var c column
		if err := rows.Scan(&table, &c.name, &declared, &c.place); err != nil {
			return nil, err
		}
		if table == migrationTable || table == countsTable {
			continue
		}
		known := false
		if c.kind, known = kinds[declared]; !known {
			return nil, fmt.Errorf("%s.%s is of the type %s, which a backup cannot hold", table, c.name, declared)
		}
		found[table] = append(found[table], c)
	}
	return sortedTables(found), rows.Err()
}

func sortedTables(found map[string][]column) []Table {
	tables := make([]Table, 0, len(found))
	for name, columns := range found {
		slices.SortFunc(columns, func(a, b column) int { return cmp.Compare(a.name, b.name) })
		tables = append(tables, Table{name, columns})
	}
	slices.SortFunc(tables, func(a, b Table) int { return cmp.Compare(a.Name, b.Name) })
	return tables
}

// versionOf is the schema's version; 0: there is none.
func versionOf(ctx context.Context, db reader, dialect string) (version int64, err error) {
	exists := "SELECT count(*) FROM pg_class WHERE relname = 'goose_db_version' AND relnamespace = current_schema()::regnamespace"
	if dialect == "sqlite" {
		exists = "SELECT count(*) FROM sqlite_schema WHERE name = 'goose_db_version'"
	}
	var n int
	if err := db.QueryRowContext(ctx, exists).Scan(&n); err != nil || n == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&version)
	return version, err
}

func (t Table) names() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = quoted(c.name)
	}
	return strings.Join(names, ", ")
}

// selected are the columns, to be read. SQLite's driver gives empty bytes as NULL.
func (t Table) selected(dialect string) string {
	if dialect != "sqlite" {
		return t.names()
	}
	columns := make([]string, len(t.columns))
	for i, c := range t.columns {
		columns[i] = quoted(c.name)
		if c.kind == kindBytes {
			columns[i] = fmt.Sprintf("CASE length(%[1]s) WHEN 0 THEN '' ELSE %[1]s END", columns[i])
		}
	}
	return strings.Join(columns, ", ")
}

// order is the primary key's, byte by byte: the same in both databases.
func (t Table) order(dialect string) (string, error) {
	key := slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return c.place < 0 })
	if len(key) == 0 {
		return "", fmt.Errorf("the table %s has no primary key, so its rows have no order", t.Name)
	}
	slices.SortFunc(key, func(a, b column) int { return cmp.Compare(a.place, b.place) })
	parts := make([]string, len(key))
	for i, c := range key {
		parts[i] = quoted(c.name)
		if c.kind == kindText && dialect == "postgres" {
			parts[i] += ` COLLATE "C"`
		}
	}
	return strings.Join(parts, ", "), nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// placed writes a statement's question marks as the database wants them.
func placed(dialect, query string) string {
	if dialect == "sqlite" {
		return query
	}
	var out strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			out.WriteRune(r)
			continue
		}
		n++
		out.WriteString("$" + strconv.Itoa(n))
	}
	return out.String()
}
