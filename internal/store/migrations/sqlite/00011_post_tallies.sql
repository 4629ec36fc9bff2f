-- +goose Up
-- How many posts there are of each kind. Triggers count, so nobody can forget to: neither a program
-- of the last version, which serves on beside this one, nor a restore, nor a hand at the console.
CREATE TABLE post_tallies (
  status    text NOT NULL,
  review    text NOT NULL,
  sponsored boolean NOT NULL,
  n         integer NOT NULL CHECK (n >= 0),
  PRIMARY KEY (status, review, sponsored)
) WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER post_tallies_insert AFTER INSERT ON posts
BEGIN
  INSERT INTO post_tallies (status, review, sponsored, n) VALUES (NEW.status, NEW.review, NEW.member_id IS NOT NULL, 1)
  ON CONFLICT (status, review, sponsored) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER post_tallies_delete AFTER DELETE ON posts
BEGIN
  UPDATE post_tallies SET n = n - 1
  WHERE status = OLD.status AND review = OLD.review AND sponsored = (OLD.member_id IS NOT NULL);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER post_tallies_update AFTER UPDATE OF status, review, member_id ON posts
WHEN OLD.status <> NEW.status OR OLD.review <> NEW.review OR (OLD.member_id IS NULL) <> (NEW.member_id IS NULL)
BEGIN
  UPDATE post_tallies SET n = n - 1
  WHERE status = OLD.status AND review = OLD.review AND sponsored = (OLD.member_id IS NOT NULL);
  INSERT INTO post_tallies (status, review, sponsored, n) VALUES (NEW.status, NEW.review, NEW.member_id IS NOT NULL, 1)
  ON CONFLICT (status, review, sponsored) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd

INSERT INTO post_tallies (status, review, sponsored, n)
SELECT status, review, member_id IS NOT NULL, count(*) FROM posts GROUP BY 1, 2, 3;
