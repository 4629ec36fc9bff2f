package node

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// onPostgres are the options of a node on databases of the test's own, on the tests' server.
func onPostgres(t *testing.T) Options {
	t.Helper()
	o := newOptions(t)
	o.Postgres = os.Getenv("TEST_DATABASE_URL")
	require.NotEmpty(t, o.Postgres, "TEST_DATABASE_URL names no Postgres: run make test, or scripts/with-postgres go test -C internal/platform/temporal/temporald ./...")
	o.Databases = fmt.Sprintf("t%d", time.Now().UnixNano())
	t.Cleanup(func() {
		admin := connect(t, o, "")
		for _, name := range []string{o.Databases, o.Databases + "_visibility"} {
			_, err := admin.Exec(context.Background(), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
			require.NoError(t, err)
		}
	})
	return o
}

func connect(t *testing.T, o Options, database string) *pgx.Conn {
	t.Helper()
	p, err := newPostgres(o)
	require.NoError(t, err)
	conn, err := p.connect(context.Background(), database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// as is the tests' server, asked by another user.
func as(t *testing.T, o Options, user string) string {
	t.Helper()
	server, err := url.Parse(o.Postgres)
	require.NoError(t, err)
	server.User = url.UserPassword(user, "very-secret")
	return server.String()
}

func TestNodeOnPostgresKeepsWhatItKnows(t *testing.T) {
	t.Parallel()
	o := onPostgres(t)
	first := start(t, o)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := dial(t, o).WorkflowService().StartWorkflowExecution(ctx, newRun("kept"))
	require.NoError(t, err)
	first.Stop()

	o.Retention = 24 * time.Hour // counts on the first start
	start(t, o)
	c := dial(t, o)
	namespace, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, 48*time.Hour, namespace.Config.WorkflowExecutionRetentionTtl.AsDuration())
	attributes, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, map[string]enums.IndexedValueType{"Flow": enums.INDEXED_VALUE_TYPE_KEYWORD}, attributes.CustomAttributes)
	run, err := c.DescribeWorkflowExecution(ctx, "kept", "")
	require.NoError(t, err)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, run.WorkflowExecutionInfo.Status)
	require.Eventually(t, func() bool {
		listed, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: "WorkflowId = 'kept'"})
		return err == nil && listed.Count == 1
	}, time.Minute, 50*time.Millisecond)
	require.NoFileExists(t, o.DBFile, "there is no second database")

	var shards int
	require.NoError(t, connect(t, o, o.Databases).QueryRow(ctx, "SELECT count(*) FROM shards").Scan(&shards))
	require.Equal(t, postgresShards, shards)
}

// Proves: F26
func TestTwoNodesNeverShareAPostgresDatabase(t *testing.T) {
	t.Parallel()
	o, second := onPostgres(t), onPostgres(t)
	second.Databases = o.Databases
	areNeverShared(t, o, second, "database "+o.Databases+" is used by another server: still locked after 50ms")
}

// Proves: F3
func TestNodeTakesItsDatabasesAnewAfterTheServerForgot(t *testing.T) {
	t.Parallel()
	o := onPostgres(t)
	start(t, o)
	admin := connect(t, o, o.Databases)
	const holders = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
	held := func() (n int) {
		require.NoError(t, admin.QueryRow(t.Context(), holders).Scan(&n))
		return n
	}
	require.Equal(t, 1, held())
	_, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return held() == 0 }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return held() == 1 }, time.Minute, 20*time.Millisecond)
}

func TestManyServersMakeTheDatabasesAtOnce(t *testing.T) {
	t.Parallel()
	o := onPostgres(t)
	p, err := newPostgres(o)
	require.NoError(t, err)
	var making sync.WaitGroup
	failed := make(chan error, 8)
	for range cap(failed) {
		making.Go(func() { failed <- p.ensureDatabases(context.Background()) })
	}
	making.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
}

func TestSchemaIsUpgraded(t *testing.T) {
	t.Parallel()
	o := onPostgres(t)
	p, err := newPostgres(o)
	require.NoError(t, err)
	require.NoError(t, p.ensureDatabases(t.Context()))
	for _, whole := range []schema{p.main, p.lists} {
		conn := connect(t, o, whole.database)
		old := whole // as an older server left it
		old.version = "1.4"
		require.NoError(t, old.ensure(t.Context(), conn))
		require.NoError(t, whole.ensure(t.Context(), conn))
		require.NoError(t, whole.ensure(t.Context(), conn), "again is harmless")
		var version string
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT curr_version FROM schema_version WHERE db_name = $1", whole.database).Scan(&version))
		require.Equal(t, whole.version, version, "of %s", whole.folder)
	}
}

func TestSchemaIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ spoil, says string }{
		"when it is newer than this server": {
			spoil: "UPDATE schema_version SET curr_version = '1.99'",
			says:  "is newer than this server, which knows ",
		},
		"when it is another program's": {
			spoil: "DROP TABLE schema_version",
			says:  "is a database of another program; choose another name with -databases",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := onPostgres(t)
			p, err := newPostgres(o)
			require.NoError(t, err)
			require.NoError(t, p.ensureDatabases(t.Context()))
			require.NoError(t, p.prepare(t.Context(), o))
			_, err = connect(t, o, o.Databases).Exec(t.Context(), tt.spoil)
			require.NoError(t, err)
			_, err = Start(t.Context(), o)
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, o.Databases)
		})
	}
}

func TestPostgresIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(t *testing.T, o *Options)
		says   string
	}{
		"when nobody answers": {
			func(_ *testing.T, o *Options) { o.Postgres = "postgres://me:very-secret@127.0.0.1:1/postgres" },
			"no Postgres answers at 127.0.0.1:1; start it, or correct TEMPORALD_POSTGRES_URL",
		},
		"when it does not know us": {
			func(t *testing.T, o *Options) { o.Postgres = as(t, *o, "nobody_at_all") },
			"does not let in user nobody_at_all; correct TEMPORALD_POSTGRES_URL",
		},
		"when we may not make databases": {
			func(t *testing.T, o *Options) {
				poor := "poor_" + o.Databases
				admin := connect(t, *o, "")
				_, err := admin.Exec(t.Context(), "CREATE ROLE "+poor+" LOGIN")
				require.NoError(t, err)
				t.Cleanup(func() { _, _ = admin.Exec(context.Background(), "DROP ROLE "+poor) })
				o.Postgres = as(t, *o, poor)
			},
			"make them for that user, or allow it CREATEDB",
		},
		"when it is no URL":            {func(_ *testing.T, o *Options) { o.Postgres = "postgres://me:very-secret@%zz/" }, "is not a URL like postgres://"},
		"when it is another kind":      {func(_ *testing.T, o *Options) { o.Postgres = "mysql://me:very-secret@127.0.0.1/" }, "is not a URL like postgres://"},
		"when an option is nonsense":   {func(_ *testing.T, o *Options) { o.Postgres += "&connect_timeout=very-secret" }, "is not a URL like postgres://"},
		"with a name that needs quote": {func(_ *testing.T, o *Options) { o.Databases = `a"; DROP` }, "is not made of at most 41 small letters"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := onPostgres(t)
			spoiled := o
			tt.change(t, &spoiled)
			_, err := Start(t.Context(), spoiled)
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "very-secret")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func newRun(id string) *workflowservice.StartWorkflowExecutionRequest {
	return &workflowservice.StartWorkflowExecutionRequest{
		Namespace: "default", WorkflowId: id, WorkflowType: &common.WorkflowType{Name: "any"},
		TaskQueue: &taskqueue.TaskQueue{Name: "nobody"}, RequestId: id,
	}
}
