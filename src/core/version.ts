/** The version of the package, as it is written into files. */

export const VERSION = '0.1.0'
