#pragma once

namespace kbeval {

/// Admission trials of engine cards. docs/database.md describes the view.
inline constexpr const char* migration_9 = R"sql(
CREATE TABLE card_trial (
    key          INTEGER PRIMARY KEY,
    document     TEXT NOT NULL,
    card         TEXT NOT NULL,
    base         TEXT NOT NULL,
    experiment   TEXT NOT NULL UNIQUE,
    created      TEXT NOT NULL,
    origin       TEXT NOT NULL,
    problems     INTEGER NOT NULL,
    pairs        INTEGER NOT NULL,
    mean_gain    REAL NOT NULL,
    low          REAL,
    high         REAL,
    wins         INTEGER NOT NULL,
    losses       INTEGER NOT NULL,
    ties         INTEGER NOT NULL,
    success_gain REAL NOT NULL,
    admitted     INTEGER NOT NULL CHECK (admitted IN (0, 1)),
    reason       TEXT NOT NULL
) STRICT;

CREATE VIEW card_trials AS
SELECT document, card, base, experiment, created, origin, problems, pairs, mean_gain, low, high, wins, losses, ties,
       success_gain, admitted, reason
FROM card_trial;
)sql";

}  // namespace kbeval
