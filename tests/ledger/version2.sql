CREATE TABLE terms (only INTEGER PRIMARY KEY CHECK (only = 1), text TEXT NOT NULL, key BLOB NOT NULL);
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('reserved', 'released')),
    at TEXT NOT NULL,
    body TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
);
CREATE TRIGGER terms_stay BEFORE UPDATE ON terms BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER terms_remain BEFORE DELETE ON terms BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
