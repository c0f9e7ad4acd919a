/** Version 1 of the tables in PostgreSQL, second part: what belongs to a server and not to a namespace. */

import { ROLES } from '../../../core/caller.js'

export const SERVER = `
-- Who may use a server. Neither archived nor copied elsewhere.
CREATE TABLE tokens (
  name       text PRIMARY KEY,
  -- SHA-256 of a key derived from the token. Neither of them is stored.
  hash       text NOT NULL UNIQUE,
  -- Null: all.
  namespaces text[],
  role       text NOT NULL CHECK (role IN (${ROLES.map((role) => `'${role}'`).join(', ')})),
  created_at bigint NOT NULL,
  expires_at bigint,
  -- The last use, to the minute.
  used_at    bigint
);

-- What leaves no row of its own: purges, exports, what was removed. The rest of the log is in records and revisions.
CREATE TABLE events (
  row       bigint PRIMARY KEY DEFAULT nextval('rows'),
  at        bigint NOT NULL,
  action    text NOT NULL,
  -- Null: of the whole schema.
  namespace text,
  -- The id or name of what it was done to.
  subject   text,
  -- The name of the token; null: without one.
  author    text
);
CREATE INDEX events_by_time ON events (at);
`
