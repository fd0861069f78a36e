-- What operators tell players. `announcements.sql` explains them. Rows stay; only the time of a withdrawal is written later.

CREATE TABLE announcements (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    text      text NOT NULL CHECK (length(text) BETWEEN 1 AND 300),
    table_id  text,  -- null: for all
    begins    timestamptz NOT NULL,
    ends      timestamptz NOT NULL,
    who       text NOT NULL,
    withdrawn timestamptz,
    CONSTRAINT announcement_ends_after_it_begins CHECK (ends > begins)
);
CREATE INDEX announcements_by_end ON announcements (ends);
