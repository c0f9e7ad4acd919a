/** The least a program can do with a SQLite file: load the driver, open the file, read something, exit. */

const process = require('node:process')
const Database = require('better-sqlite3')

new Database(process.argv[2]).prepare('SELECT 1').get()
