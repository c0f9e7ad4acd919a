// Stands in the bundle for what the MCP SDK loads for Node: the process, and a validator that is never asked.

export { default as process } from 'node:process'

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('nothing asks for a JSON Schema validator')
  }
}
