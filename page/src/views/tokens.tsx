/** Who may use the server: the tokens for admins, and for others the namespace that they work in. */

import { useState } from 'preact/hooks'
import { type Caller, ROLES, type Role } from '../../../src/core/caller.js'
import { type Answer, addToken, listTokens, revokeToken } from '../api/client.js'
import { Block } from '../parts/block.js'
import { Button } from '../parts/button.js'
import { onSend, SelectField, TextField } from '../parts/fields.js'
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
    <Block title="Your projects" class="card">
      <SelectField
        name="The page shows"
        value={kept === undefined ? (namespaces[0] ?? '') : decodeURIComponent(kept)}
        options={namespaces.map((name) => [name, name])}
        onChange={choose}
      />
    </Block>
  )
}

function Tokens() {
  const loaded = useLoad('tokens', listTokens)
  const [added, setAdded] = useState<Answer<'token.add'> | null>(null)
  return (
    <Block title="Tokens" class="card tokens">
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
                <Button
                  aria-label={`Revoke ${token.name}`}
                  onClick={() =>
                    attempt(async () => {
                      await revokeToken(token.name)
                      loaded.reload()
                    })
                  }
                >
                  Revoke
                </Button>
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
    </Block>
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
    <form onSubmit={onSend(add)}>
      <TextField name="Name" class="field-inline" required value={name} onChange={setName} />
      <SelectField
        name="Role"
        value={role}
        options={ROLES.map((one) => [one, one])}
        onChange={setRole}
      />
      <TextField
        name="Projects"
        class="field-inline"
        placeholder="all"
        value={projects}
        onChange={setProjects}
      />
      <SelectField<string>
        name="Expires"
        value={expires}
        options={EXPIRIES}
        onChange={setExpires}
      />
      <div class="actions">
        <button type="submit" class="button">
          Add a token
        </button>
      </div>
    </form>
  )
}
