// What is used of the MCP SDK. It is bundled by itself, with the zod that it wants: what of zod only the SDK needs
// would otherwise be loaded by every command.

export {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isLegacyRequest,
  isSpecType,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
