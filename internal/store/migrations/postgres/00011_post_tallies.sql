-- +goose Up
-- How many posts there are of each kind: the sum of the rows of that kind. Triggers count, so nobody
-- can forget to: neither a program of the last version, which serves on beside this one, nor a
-- restore, nor a hand at the console.
--
-- Nobody waits for anybody here: whoever changes posts adds rows of their own. When there are too
-- many, whoever comes puts those together that no other does.
CREATE TABLE post_tallies (
  status    text NOT NULL,
  review    text NOT NULL,
  sponsored boolean NOT NULL,
  n         bigint NOT NULL
);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_posts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, member_id IS NOT NULL, count(*) FROM is_now GROUP BY 1, 2, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, member_id IS NOT NULL, -count(*) FROM was GROUP BY 1, 2, 3;
  ELSE
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, sponsored, sum(n) FROM (
      SELECT status, review, member_id IS NOT NULL AS sponsored, 1 AS n FROM is_now
      UNION ALL SELECT status, review, member_id IS NOT NULL, -1 FROM was
    ) AS changed GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
  END IF;
  IF FOUND AND (SELECT count(*) FROM post_tallies) > 200 THEN
    WITH several AS (SELECT ctid FROM post_tallies FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM post_tallies WHERE ctid IN (SELECT ctid FROM several) RETURNING status, review, sponsored, n)
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, sponsored, sum(n) FROM gone GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
  END IF;
  RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER post_tallies_insert AFTER INSERT ON posts
  REFERENCING NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION tally_posts();
CREATE TRIGGER post_tallies_delete AFTER DELETE ON posts
  REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION tally_posts();
CREATE TRIGGER post_tallies_update AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS was NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION tally_posts();

-- The triggers hold those off who write until this is done: a million posts are counted in less
-- than a second.
INSERT INTO post_tallies (status, review, sponsored, n)
SELECT status, review, member_id IS NOT NULL, count(*) FROM posts GROUP BY 1, 2, 3;
