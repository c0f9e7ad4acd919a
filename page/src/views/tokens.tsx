/** Who may use the server: the tokens for admins, and for others the namespace that they work in. */

import { useState } from 'preact/hooks'
import type { Caller, Role } from '../../../src/core/caller.js'
import { addToken, revokeToken } from '../api/actions.js'
import { type Answer, listTokens } from '../api/client.js'
import { Shown } from '../parts/states.js'
import { useLoad } from '../state/load.js'
import { attempt } from '../state/notices.js'

export function Access({ caller }: { readonly caller: Caller }) {
  if (caller.role === 'admin' && caller.namespaces === null) return <Tokens />
  if (caller.namespaces === null || caller.namespaces.length < 2) return null
  return <OwnNamespace namespaces={caller.namespaces} />
}

/** Each request is about one of the namespaces of a token; the cookie says which. */
function OwnNamespace({ namespaces }: { readonly namespaces: readonly string[] }) {
  const kept = /(?:^|;\s*)cairn-namespace=([^;]*)/.exec(document.cookie)?.[1]
  const choose = (name: string): void => {
    // biome-ignore lint/suspicious/noDocumentCookie: the server reads it
    document.cookie = `cairn-namespace=${encodeURIComponent(name)}; path=/; SameSite=Strict`
    location.reload()
  }
  return (
    <section class="card">
      <h2>Your projects</h2>
      <label class="field-inline">
        <span>The page shows</span>
        <select
          value={kept === undefined ? namespaces[0] : decodeURIComponent(kept)}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {namespaces.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </section>
  )
}

function Tokens() {
  const loaded = useLoad('tokens', listTokens)
  const [added, setAdded] = useState<Answer<'token.add'> | null>(null)
  return (
    <section class="card tokens">
      <h2>Tokens</h2>
      <p class="quiet">
        Others use this server with a token. As soon as there is one, nobody gets in without.
      </p>
      <Shown loaded={loaded}>
        {({ tokens }) => (
          <ul class="settings-list">
            {tokens.map((token) => (
              <li key={token.name}>
                <bdi>{token.name}</bdi> <span class="label">{token.role}</span>{' '}
                <span class="quiet">{describe(token)}</span>{' '}
                <button
                  type="button"
                  class="button"
                  aria-label={`Revoke ${token.name}`}
                  onClick={() =>
                    void attempt(async () => {
                      await revokeToken(token.name)
                      loaded.reload()
                    })
                  }
                >
                  Revoke
                </button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <NewToken
        onAdded={(token) => {
          setAdded(token)
          loaded.reload()
        }}
      />
      <div aria-live="polite">
        {added !== null && (
          <p>
            The token of <bdi>{added.name}</bdi>, shown this once: <code>{added.token}</code>
          </p>
        )}
      </div>
    </section>
  )
}

function describe(token: Answer<'token.list'>['tokens'][number]): string {
  const { namespaces, expiresAt, hasExpired, usedAt } = token
  const end = expiresAt?.slice(0, 10)
  return [
    namespaces === null ? 'all projects' : namespaces.join(', '),
    end === undefined ? 'never expires' : `${hasExpired ? 'expired' : 'expires'} ${end}`,
    usedAt === null ? 'not used yet' : `used ${usedAt.slice(0, 10)}`,
  ].join(' · ')
}

const EXPIRIES = [
  ['90d', 'in 90 days'],
  ['1y', 'in a year'],
  ['', 'never'],
] as const

function NewToken({ onAdded }: { readonly onAdded: (token: Answer<'token.add'>) => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('read')
  const [projects, setProjects] = useState('')
  const [expires, setExpires] = useState('90d')
  const add = (): Promise<void> =>
    attempt(async () => {
      const namespaces = projects.split(',').flatMap((one) => one.trim() || [])
      const limits = { ...(namespaces.length > 0 && { namespaces }), ...(expires && { expires }) }
      onAdded(await addToken({ name, role, ...limits }))
      setName('')
    })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <label class="field-inline">
        <span>Name</span>
        <input
          required
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label class="field-inline">
        <span>Role</span>
        <select value={role} onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}>
          <option value="read">read</option>
          <option value="write">write</option>
          <option value="admin">admin</option>
        </select>
      </label>
      <label class="field-inline">
        <span>Projects</span>
        <input
          placeholder="all"
          value={projects}
          onInput={({ currentTarget }) => setProjects(currentTarget.value)}
        />
      </label>
      <label class="field-inline">
        <span>Expires</span>
        <select value={expires} onChange={({ currentTarget }) => setExpires(currentTarget.value)}>
          {EXPIRIES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div class="actions">
        <button type="submit" class="button">
          Add a token
        </button>
      </div>
    </form>
  )
}
