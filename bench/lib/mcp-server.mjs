/** Runs the MCP server of a file over stdio, as `cairn mcp` does. */

import process from 'node:process'
import { runMcp } from '../../dist/mcp.js'

await runMcp({ file: process.argv[2] })
