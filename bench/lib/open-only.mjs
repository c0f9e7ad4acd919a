/** The least a program can do with a SQLite file: load the driver, open the file, exit. */

import process from 'node:process'
import Database from 'better-sqlite3'

new Database(process.argv[2]).close()
