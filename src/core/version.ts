/** The version that writes itself into files is the version of the package. */

export const VERSION = '0.1.0'
