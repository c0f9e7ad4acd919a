/** How long the texts and lists of an input may be. `docs/limits.md` lists them; a longer input is refused before any work. */

export const MAX_BODY_CHARS = 50_000_000
export const MAX_TITLE_CHARS = 2000
/** A namespace, a tag, a person, a source, a part of a fact. */
export const MAX_LABEL_CHARS = 500
/** An id, a path, a cursor. */
export const MAX_NAME_CHARS = 4096
/** A note, a quote, a summary. */
export const MAX_NOTE_CHARS = 100_000
/** A field of a work other than its title, abstract and note. */
export const MAX_WORK_FIELD_CHARS = 10_000
export const MAX_TIME_CHARS = 100
export const MAX_LIST_ITEMS = 10_000
/** The keys of a filter by metadata: each may be read in every record. */
export const MAX_METADATA_KEYS = 32
/** SQLite refuses JSON that is nested deeper than 1,000 levels. */
export const MAX_JSON_DEPTH = 100
export const MAX_JSON_CHARS = 1_000_000
