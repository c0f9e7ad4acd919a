/** Makes a folder such as Zotero's: the tables of its database that are read, filled, and files in `storage`. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { temporaryFolder } from '../../../test/support/library.js'
import { writePdf } from '../pdf/pdf-writer.fixture.js'

/** The columns as in Zotero 6 and 7, without those that only its sync uses. */
const TABLES = `
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, dateAdded TIMESTAMP NOT NULL,
  dateModified TIMESTAMP NOT NULL, libraryID INT NOT NULL, key TEXT NOT NULL, UNIQUE (libraryID, key));
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL, creatorTypeID INT NOT NULL DEFAULT 1,
  orderIndex INT NOT NULL DEFAULT 0, PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex));
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, path TEXT);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL, type INTEGER NOT NULL, authorName TEXT,
  text TEXT, comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT NOT NULL, position TEXT NOT NULL, isExternal INT NOT NULL);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL, parentCollectionID INT,
  libraryID INT NOT NULL, key TEXT NOT NULL);
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT NOT NULL DEFAULT 0);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
INSERT INTO libraries VALUES (1, 'user'), (2, 'feed');
INSERT INTO itemTypes VALUES (1, 'note'), (2, 'attachment'), (3, 'annotation'), (4, 'journalArticle'), (5, 'thesis');
INSERT INTO creatorTypes VALUES (1, 'author'), (2, 'editor'), (3, 'translator');
INSERT INTO items VALUES
  (1, 4, '2026-01-02 03:04:05', '', 1, 'WORK0001'), (2, 2, '2026-01-02 03:04:06', '', 1, 'FILE0001'),
  (3, 1, '2026-01-03 00:00:00', '', 1, 'NOTE0001'), (4, 3, '2026-01-04 00:00:00', '', 1, 'ANNO0001'),
  (5, 5, '2026-01-05 00:00:00', '', 1, 'WORK0002'), (6, 4, '2026-01-06 00:00:00', '', 1, 'BINNED01'),
  (7, 4, '2026-01-07 00:00:00', '', 2, 'FEED0001'), (8, 1, '2026-01-08 00:00:00', '', 1, 'NOTE0002'),
  (9, 2, '2026-01-08 00:00:00', '', 1, 'FILE0002'), (10, 2, '2026-01-08 00:00:00', '', 1, 'SHOT0001');
INSERT INTO deletedItems (itemID) VALUES (6);
INSERT INTO creators VALUES (1, 'Mara', 'Lind', 0), (2, '', 'Harbour Institute', 1), (3, 'Ben', 'Ode', 0);
INSERT INTO itemCreators VALUES (1, 2, 1, 1), (1, 1, 1, 0), (1, 3, 3, 2), (5, 3, 1, 0);
INSERT INTO itemAttachments VALUES (2, 1, 1, 'application/pdf', 'storage:crane.pdf'),
  (9, 5, 1, 'application/pdf', 'storage:gone.pdf'), (10, 1, 1, 'text/html', 'storage:page.html');
INSERT INTO itemNotes VALUES (3, 1, '<div class="zotero-note znv1"><h1>On cranes</h1><p>They &amp; their <b>ropes</b>.</p></div>', 'On cranes'),
  (8, NULL, '<p>A note of its own.</p>', 'A note of its own.'), (2, 1, '', '');
INSERT INTO itemAnnotations VALUES (4, 2, 1, 'Ana', 'A crane lifts twelve tons.', 'check this', '#ffd400', 'xii', '00011|1', '{"pageIndex":11,"rects":[]}', 0);
INSERT INTO collections VALUES (1, 'Thesis', NULL, 1, 'COLL0001'), (2, 'Methods', 1, 1, 'COLL0002');
INSERT INTO collectionItems VALUES (2, 1, 0);
INSERT INTO tags VALUES (1, 'cranes');
INSERT INTO itemTags VALUES (1, 1, 0);
`

const FIELDS: readonly (readonly [number, string, string])[] = [
  [1, 'title', 'Cranes of the harbour'],
  [1, 'date', '2019-07-00 July 2019'],
  [1, 'publicationTitle', 'Journal of Ports'],
  [1, 'DOI', '10.5555/CRANES'],
  [1, 'pages', '12–19'],
  [1, 'extra', 'Citation Key: lind2019\nsome remark'],
  [5, 'title', 'Old walls'],
  [5, 'date', '2001-00-00 2001'],
  [5, 'university', 'University of Salt'],
  [6, 'title', 'In the bin'],
  [7, 'title', 'From a feed'],
]

export function makeZoteroFolder(): { folder: string; db: Database.Database } {
  const folder = join(temporaryFolder(), 'Zotero')
  mkdirSync(join(folder, 'storage/FILE0001'), { recursive: true })
  const pages = [[{ text: 'The crane of the harbour was built in 1820.', y: 700 }]]
  writeFileSync(join(folder, 'storage/FILE0001/crane.pdf'), writePdf({ pages }))
  const db = new Database(join(folder, 'zotero.sqlite'))
  db.exec(TABLES)
  const names = [...new Set(FIELDS.map(([, name]) => name))]
  for (const [i, name] of names.entries()) {
    db.prepare('INSERT INTO fields VALUES (?, ?)').run(i + 1, name)
  }
  for (const [i, [item, name, value]] of FIELDS.entries()) {
    db.prepare('INSERT INTO itemDataValues VALUES (?, ?)').run(i + 1, value)
    db.prepare('INSERT INTO itemData VALUES (?, ?, ?)').run(item, names.indexOf(name) + 1, i + 1)
  }
  return { folder, db }
}
