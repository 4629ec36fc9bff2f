-- +goose Up
-- The index has failed posts alone, and Postgres looks no further than that when it is asked for
-- them: what it is asked beside that comes first.
DROP INDEX posts_by_failure;
CREATE INDEX posts_by_failure ON posts (updated_at, status) WHERE status = 'failed';
