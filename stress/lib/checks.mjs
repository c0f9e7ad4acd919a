/** A file is sound and holds what was acknowledged, or what is wrong with it is named. */

const IDS_AT_ONCE = 500

export async function expectSound(cairn, when, problem) {
  const { checks } = await cairn.doctor()
  for (const { name, ok, detail } of checks)
    if (!ok) problem(`${when}: doctor says ${name}: ${detail}`)
}

/** @param expected A map from the id of every acknowledged record to its body. */
export async function expectStored(cairn, expected, when, problem) {
  const ids = [...expected.keys()]
  for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
    const { records, missing } = await cairn.get(ids.slice(i, i + IDS_AT_ONCE))
    for (const id of missing) problem(`${when}: the acknowledged record ${id} is missing`)
    for (const { id, body } of records) {
      if (body !== expected.get(id)) problem(`${when}: ${id} says "${body.slice(0, 60)}"`)
    }
  }
}
