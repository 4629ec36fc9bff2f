-- +goose Up
-- What is asked often has an index that answers it, however much there is. Building these takes
-- about a second for each million rows of a table, and whoever writes to it waits as long.
CREATE INDEX posts_by_failure ON posts (status, updated_at) WHERE status = 'failed';
CREATE INDEX posts_unsettled ON posts (scheduled_at, id) WHERE open_key IS NOT NULL AND status <> 'draft';
CREATE INDEX posts_by_holder ON posts (member_id, status, scheduled_at);
DROP INDEX posts_by_member; -- the one before begins with it
DROP INDEX posts_by_review;
CREATE INDEX posts_by_review ON posts (review, status, created_at, id) WHERE review <> '';

CREATE INDEX members_by_status ON members (status);
CREATE INDEX accounts_told ON accounts (id) WHERE email IS NOT NULL AND notices AND x_user_id IS NOT NULL;

CREATE INDEX checkouts_by_time ON checkouts (created_at DESC, id);
CREATE INDEX checkouts_by_member ON checkouts (member_id) WHERE member_id IS NOT NULL;

CREATE INDEX series_by_member ON series (member_id, created_at) WHERE member_id IS NOT NULL;
CREATE INDEX series_by_cursor ON series (state, cursor_at);
CREATE INDEX series_by_age ON series ((CASE state WHEN 'ended' THEN 1 ELSE 0 END), created_at DESC, id DESC);

CREATE INDEX chaos_runs_by_fault ON chaos_runs (fault, requested_at, id);
CREATE INDEX chaos_runs_by_verdict ON chaos_runs (verdict, requested_at, id);
CREATE INDEX chaos_runs_by_injection ON chaos_runs (injected_at, id) WHERE injected_at IS NOT NULL;

CREATE INDEX departures_open ON departures (requested_at, id) WHERE ended_at IS NULL;
CREATE INDEX client_errors_by_time ON client_errors (created_at, id);

-- What is somebody's own.
CREATE INDEX letters_by_account ON letters (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX generations_by_account ON generations (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX audit_entries_by_account ON audit_entries (account_id) WHERE account_id IS NOT NULL;
