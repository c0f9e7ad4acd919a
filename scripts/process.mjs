// Stands in the script of the command for `node:process`: the global, without a copy of its names for each module.

export default globalThis.process
export const { versions } = globalThis.process
