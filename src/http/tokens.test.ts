/** What a named token opens on a server: by its role, its namespaces and its time. */

import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serve } from '../../test/support/http.js'
import { temporaryFile } from '../../test/support/library.js'
import { listRequests } from '../../test/support/two-files-ask.js'
import { ROLES, type Role } from '../core/caller.js'
import { openCairn } from '../index.js'
import { OPERATIONS } from '../operations/operations.js'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Beyond what erases: what concerns the whole file, and what names a path of the server. */
const FOR_ADMINS: readonly string[] = [
  ...['import', 'mirror', 'backup', 'copy', 'doctor', 'optimize'],
  ...['token.add', 'token.list'],
]

function findLeast(name: string, effect: string): Role {
  if (effect === 'erases' || FOR_ADMINS.includes(name)) return 'admin'
  return effect === 'reads' ? 'read' : 'write'
}

describe('the role', () => {
  test('of a token decides which operations it may run, and the refusal names the one that is needed', async () => {
    const { cairn, send } = await serve(['one'], { rate: 0 })
    const tokens = new Map<Role, string>()
    for (const role of ROLES) tokens.set(role, (await cairn.tokens.add({ name: role, role })).token)
    for (const { name, effect, examples } of OPERATIONS) {
      const least = findLeast(name, effect)
      for (const role of ROLES.slice(0, ROLES.indexOf(least))) {
        for (const request of listRequests(name, examples[0] as Record<string, unknown>)) {
          const headers = bearer(tokens.get(role) ?? '')
          const { status, json } = await send(request.path, { ...request, headers })
          expect({ name, role, status, error: json.error }).toMatchObject({
            status: 403,
            error: {
              code: 'forbidden',
              message: `This needs a token with the role "${least}", and yours has "${role}".`,
            },
          })
        }
      }
    }
    const ask = (role: Role, path: string, body?: object) =>
      send(path, { headers: bearer(tokens.get(role) ?? ''), ...(body && { body }) })
    expect((await ask('read', '/api/search?query=one')).status).toBe(200)
    expect((await ask('write', '/api/records', { body: 'two' })).status).toBe(200)
    expect((await ask('admin', '/api/tokens')).status).toBe(200)
    const recalled = { query: 'one', recallSession: 'standup' }
    expect((await ask('read', '/api/search', recalled)).status).toBe(403)
    expect((await ask('read', '/api/explore', { from: 'one', online: true })).status).toBe(403)
    for (const path of ['/metrics', '/api/backup']) {
      expect((await ask('write', path)).status).toBe(403)
      expect((await ask('admin', path)).status).toBe(200)
    }
    const upload = (role: Role) => {
      const headers = { ...bearer(tokens.get(role) ?? ''), 'content-type': 'text/plain' }
      return send('/api/import?name=a.txt', { headers, body: 'A text.' })
    }
    expect((await upload('read')).status).toBe(403)
    expect((await upload('write')).status).toBe(200)
    // Nothing of what was refused was done.
    expect((await cairn.tokens.list()).tokens).toHaveLength(3)
  })
})

test('a writer does not read files of the server, and forges no history, by what it sends', async () => {
  const { cairn, send } = await serve([], { rate: 0 })
  const secret = join(dirname(temporaryFile()), 'secret.pdf')
  writeFileSync(secret, '%PDF-1.4 a secret')
  const headers = bearer((await cairn.tokens.add({ name: 'eve', role: 'write' })).token)
  const upload = (query: string, body: string) =>
    send(`/api/import?name=a.txt&${query}`, {
      headers: { ...headers, 'content-type': 'text/plain' },
      body,
    })
  for (const source of [secret, `pdf:${secret}`]) {
    const { status } = await upload(`source=${encodeURIComponent(source)}`, 'A text.')
    expect(status).toBe(400)
  }
  for (const source of ['x:', 'secret.pdf']) {
    await upload(`source=${source}`, `A text of ${source}`)
    const [record] = (await cairn.list()).records
    const path = `/api/records/${record?.id}`
    await send(path, { method: 'PATCH', headers, body: { metadata: { path: secret } } })
    expect((await send(`${path}/file`, { headers })).status).toBe(404)
  }
  const lines: string[] = []
  for await (const line of cairn.exportAll()) lines.push(line)
  const archive = await upload('format=archive', lines.join('\n'))
  expect(archive).toMatchObject({ status: 403, json: { error: { code: 'forbidden' } } })
})

describe('a token', () => {
  test('once there is one is needed also on this machine, and ends when it is revoked or expires', async () => {
    let nowMs = Date.UTC(2026, 0, 1)
    const file = temporaryFile()
    const cairn = await openCairn({ file, now: () => nowMs })
    const { send } = await serve([], { cairn })
    expect((await send('/api/stats')).status).toBe(200)
    const added = await send('/api/tokens', { body: { name: 'ada', expires: '90d' } })
    expect(added.json).toMatchObject({ role: 'read', expiresAt: '2026-04-01T00:00:00.000Z' })
    expect((await send('/api/stats')).status).toBe(401)
    expect((await send('/')).status).toBe(401)
    // Whoever made the first one is not locked out.
    const [cookie = ''] = added.headers['set-cookie'] ?? []
    const own = { cookie: cookie.split(';')[0] ?? '' }
    expect((await send('/api/tokens', { headers: own })).status).toBe(200)
    const ada = bearer(added.json.token)
    expect((await send('/api/stats', { headers: ada })).status).toBe(200)
    const caller = { name: 'ada', namespaces: null, role: 'read' }
    expect((await send('/api/caller', { headers: ada })).json).toEqual(caller)
    const [page = ''] = (await send(`/?token=${added.json.token}`)).headers['set-cookie'] ?? []
    expect(page).not.toContain(added.json.token)
    const kept = { cookie: page.split(';')[0] ?? '' }
    expect((await send('/api/caller', { headers: kept })).json).toEqual(caller)
    const listed = await send('/api/tokens', { headers: own })
    expect(listed.json.tokens).toMatchObject([{ name: 'ada', usedAt: '2026-01-01T00:00:00.000Z' }])
    expect(listed.text).not.toMatch(/hash/)
    nowMs += 91 * 86_400_000
    expect((await send('/api/stats', { headers: ada })).status).toBe(401)
    expect((await send('/api/stats')).status).toBe(401)
    nowMs = Date.UTC(2026, 0, 2)
    const other = await openCairn({ file })
    await other.tokens.revoke('ada')
    await other.close()
    await expect
      .poll(() => send('/api/stats', { headers: ada }), { timeout: 5000 })
      .toMatchObject({
        status: 200,
      })
    await cairn.tokens.add({ name: 'bo' })
    expect((await send('/api/stats', { headers: ada })).status).toBe(401)
    await cairn.close()
  })

  test('of some namespaces sees one of them at a time, and signs what it writes', async () => {
    const records = ['a', 'b', 'c'].map((namespace) => ({
      body: `heron of ${namespace}`,
      namespace,
    }))
    const { cairn, send } = await serve(records)
    const { token } = await cairn.tokens.add({ name: 'ada', role: 'write', namespaces: ['b', 'a'] })
    const headers = bearer(token)
    const find = async (query: string, more: Record<string, string> = {}) => {
      const { status, json } = await send(`/api/search?query=heron${query}`, {
        headers: { ...headers, ...more },
      })
      return (
        json.hits?.map((hit: { record: { namespace: string } }) => hit.record.namespace) ?? status
      )
    }
    expect(await find('')).toEqual(['b'])
    expect(await find('&namespaces=a')).toEqual(['a'])
    expect(await find('', { 'cairn-namespace': 'a' })).toEqual(['a'])
    expect(await find('', { cookie: 'cairn-namespace=a' })).toEqual(['a'])
    expect(await find('', { 'cairn-namespace': 'c' })).toEqual(['b'])
    expect(await find('&namespaces=c')).toBe(403)
    expect(await find('&namespaces=nobodys')).toBe(403)
    const added = await send('/api/records', { headers, body: { body: 'mine', namespace: 'a' } })
    expect(added.json.namespace ?? (await cairn.get([added.json.id])).records[0]?.namespace).toBe(
      'a',
    )
    const { entries } = await cairn.log()
    expect(entries[0]).toMatchObject({ author: 'ada', subject: added.json.id })
    // An admin of some namespaces is not one of the server.
    const chief = await cairn.tokens.add({ name: 'bo', role: 'admin', namespaces: ['a'] })
    for (const path of ['/api/tokens', '/metrics', '/api/backup']) {
      expect((await send(path, { headers: bearer(chief.token) })).status).toBe(403)
    }
  })

  test('has a name of its own, an end that is to come, and at least one namespace', async () => {
    const { cairn } = await serve([])
    await cairn.tokens.add({ name: 'ada' })
    for (const wrong of [
      { name: 'ada' },
      { name: '' },
      { name: 'bo', expires: '2020-01-01' },
      { name: 'bo', expires: 'soon' },
      { name: 'bo', namespaces: [] },
      { name: 'bo', role: 'owner' as Role },
    ]) {
      await expect(cairn.tokens.add(wrong)).rejects.toMatchObject({ code: 'bad_input' })
    }
    await expect(cairn.tokens.revoke('bo')).rejects.toMatchObject({ code: 'not_found' })
  })
})
