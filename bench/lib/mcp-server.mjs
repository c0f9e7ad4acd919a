/** The MCP server of a file over standard input and output, as `cairn mcp` runs it. */

import process from 'node:process'
import { runMcp } from '../../dist/mcp.js'

await runMcp({ file: process.argv[2] })
