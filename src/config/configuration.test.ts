import { posix, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CairnError } from '../core/errors.js'
import { type Environment, toRelative } from './config-file.js'
import { printOrigin, readConfiguration } from './configuration.js'
import { toOpenOptions } from './load-configuration.js'
import { getSetting, SETTING_NAMES } from './settings.js'

const USER = '/me/.config/cairn/config.json'
const PROJECT = '/me/shop/cairn.json'

/** A world of these files, seen from a folder inside a project. */
function seen(files: Readonly<Record<string, unknown>>, env: Environment['env'] = {}) {
  const surroundings: Environment = {
    folder: '/me/shop/src/deep',
    home: '/me',
    platform: 'linux',
    env,
    readText: (path) => {
      const file = files[path]
      if (file === undefined) return null
      return typeof file === 'string' ? file : JSON.stringify(file, null, 2)
    },
  }
  return surroundings
}

/** The sentence of the refusal, with what to do. */
function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof CairnError) return [error.message, error.hint].filter(Boolean).join(' ')
    throw error
  }
  throw new Error('nothing was refused')
}

const refused = (file: unknown, env = {}) =>
  refusal(() => readConfiguration(seen({ [PROJECT]: file }, env)))

describe('who goes first', () => {
  test('[A4] flag, environment, project, user, default: whoever speaks first of them is heard', () => {
    const speakers = fc.record({
      flag: fc.boolean(),
      variable: fc.boolean(),
      project: fc.boolean(),
      user: fc.boolean(),
    })
    fc.assert(
      fc.property(speakers, ({ flag, variable, project, user }) => {
        const files = {
          [PROJECT]: project ? { search: { limit: 3 } } : { namespace: 'shop' },
          [USER]: user ? { search: { limit: 4 } } : {},
        }
        const configuration = readConfiguration(
          seen(files, variable ? { CAIRN_LIMIT: '2' } : {}),
          flag ? [{ setting: 'search.limit', flag: '--limit', value: 1 }] : [],
        )
        const [value, where] = flag
          ? [1, '--limit']
          : variable
            ? [2, '$CAIRN_LIMIT']
            : project
              ? [3, PROJECT]
              : user
                ? [4, USER]
                : [undefined, 'default']
        expect(configuration.get('search.limit')).toBe(value)
        expect(printOrigin(configuration.getOrigin('search.limit'))).toBe(where)
        expect(configuration.get('namespace')).toBe(project ? 'default' : 'shop')
      }),
    )
  })

  test('of several project files the nearest counts, and no key is taken from one above', () => {
    const configuration = readConfiguration(
      seen({
        '/me/shop/src/cairn.json': { namespace: 'inner' },
        [PROJECT]: { namespace: 'outer', search: { mode: 'keyword' } },
      }),
    )
    expect(configuration.get('namespace')).toBe('inner')
    expect(configuration.get('search.mode')).toBe('hybrid')
    expect(configuration.files.map(({ path }) => path)).toEqual([
      '/me/shop/src/deep/cairn.json',
      '/me/shop/src/cairn.json',
      USER,
    ])
  })

  test('a variable that is empty says nothing, and of two the first counts', () => {
    const { get, getOrigin } = readConfiguration(
      seen(
        { [PROJECT]: { namespace: 'shop' } },
        { CAIRN_NAMESPACE: '', CAIRN_API_KEY: 'a', OPENAI_API_KEY: 'b' },
      ),
    )
    expect(get('namespace')).toBe('shop')
    expect(printOrigin(getOrigin('vectorSearch.apiKey'))).toBe('$CAIRN_API_KEY')
  })

  test('the user’s file is where the system keeps settings', () => {
    const userFileOn = (platform: string, env = {}) =>
      readConfiguration({ ...seen({}, env), platform }).files.at(-1)?.path
    expect(userFileOn('linux')).toBe(USER)
    expect(userFileOn('linux', { XDG_CONFIG_HOME: '/x' })).toBe('/x/cairn/config.json')
    expect(userFileOn('darwin')).toBe('/me/Library/Application Support/cairn/config.json')
    expect(userFileOn('darwin', { XDG_CONFIG_HOME: '/x' })).toBe('/x/cairn/config.json')
    expect(userFileOn('win32', { APPDATA: '/roaming' })).toBe('/roaming/cairn/config.json')
  })
})

describe('values', () => {
  test('a path is stored with slashes on every system, and whole where it is on another disk', () => {
    const windows = { file: 'C:\\shop\\cairn.json', folder: 'C:\\shop\\api', system: win32 }
    expect(toRelative('..\\data\\notes.cairn', windows)).toBe('data/notes.cairn')
    expect(toRelative('notes.cairn', { ...windows, folder: 'D:\\other' })).toBe(
      'D:\\other\\notes.cairn',
    )
    const linux = { file: '/shop/cairn.json', folder: '/shop/api', system: posix }
    expect(toRelative('../data/odd\\name', linux)).toBe('data/odd\\name')
    expect(toRelative(':memory:', linux)).toBe(':memory:')
  })

  test('the text of a variable becomes what the setting is', () => {
    const env = {
      CAIRN_PINNED: 'Yes',
      CAIRN_VECTORS: '0',
      CAIRN_DECAY: '0.5',
      CAIRN_MODE: 'keyword',
    }
    const { get } = readConfiguration(seen({}, env))
    expect(get('pinned')).toBe(true)
    expect(get('vectorSearch.enabled')).toBe(false)
    expect(get('memory.decay')).toBe(0.5)
    expect(get('search.mode')).toBe('keyword')
  })

  test('a path in a file is relative to that file, and ~ is the home', () => {
    const file = { db: 'data/shop.cairn', vectorSearch: { path: '~/models/mini' } }
    const { get } = readConfiguration(
      seen({ [PROJECT]: file, [USER]: { log: { file: '../a.log' } } }),
    )
    expect(get('db')).toBe('/me/shop/data/shop.cairn')
    expect(get('vectorSearch.path')).toBe('/me/models/mini')
    expect(get('log.file')).toBe('/me/.config/a.log')
    const dbOf = (db: string) => readConfiguration(seen({ [PROJECT]: { db } })).get('db')
    expect(dbOf('/data/x.cairn')).toBe('/data/x.cairn')
    expect(dbOf(':memory:')).toBe(':memory:')
    expect(readConfiguration(seen({}, { CAIRN_DB: 'here.cairn' })).get('db')).toBe('here.cairn')
  })

  test('every default is a value of its setting, and every variable belongs to one', () => {
    for (const name of SETTING_NAMES) {
      const setting = getSetting(name)
      expect({ name, said: setting.default ?? setting.otherwise }).not.toEqual({ name })
      if (setting.default !== undefined) {
        expect(setting.schema.safeParse(setting.default)).toMatchObject({ success: true })
      }
    }
    const variables = SETTING_NAMES.flatMap((name) => getSetting(name).variables)
    expect(new Set(variables).size).toBe(variables.length)
  })
})

describe('what is wrong is said in a sentence', () => {
  test('[A4] a wrong key names the file, itself and the nearest right one', () => {
    expect(refused({ vectorSearch: { modle: 'x' } })).toBe(
      `"vectorSearch.modle" in ${PROJECT} is no setting. Did you mean "vectorSearch.model"?`,
    )
    expect(refused({ namspace: 'x' })).toContain('Did you mean "namespace"?')
    expect(refused({ model: 'x' })).toContain('Did you mean "vectorSearch.model"?')
    expect(refused({ serch: { limit: 5 } })).toContain('Did you mean "search"?')
    expect(refused({ vectorSearch: { colour: 1 } })).toContain('There are vectorSearch.enabled,')
    expect(refused({ colour: 1 })).toContain('There are db, namespace,')
    expect(refused({ 'search.limit': 5 })).toContain('Write it as {"search": {"limit": …}}.')
  })

  test('[A4] a wrong value names the file, the key and what it may be', () => {
    expect(refused({ search: { limit: 0 } })).toBe(
      `search.limit in ${PROJECT} must be at least 1, not "0".`,
    )
    expect(refused({ search: { limit: '5' } })).toContain('must be a number, not "5"')
    expect(refused({ log: { level: 'loud' } })).toContain('must be one of error, warn, info, debug')
    expect(refused({ vectorSearch: { provider: 'fake' } })).toContain('must be one of static, onnx')
    expect(refused({ namespace: null })).toContain(`namespace in ${PROJECT} must be text`)
    expect(refused({ search: 5 })).toContain(`search in ${PROJECT} must be an object, not 5.`)
    expect(refused([])).toContain(`${PROJECT} must hold an object of settings.`)
    expect(refused({}, { CAIRN_LIMIT: 'many' })).toBe('$CAIRN_LIMIT must be a number, not "many".')
    expect(refused({}, { CAIRN_PINNED: 'maybe' })).toContain('$CAIRN_PINNED must be true or false')
  })

  test('[A4] a file that is not JSON names itself, the line and the column', () => {
    expect(refused('{\n  "db": "x",\n  "namespace" "y"\n}')).toContain(
      `${PROJECT} is not JSON: line 3, column 15 cannot be read.`,
    )
    expect(refused('')).toContain('line 1, column 1')
    expect(refused('{} // mine')).toContain('line 1, column 4')
  })

  test('a secret in a file is refused, and neither it nor a password is repeated', () => {
    const secret = refused({ vectorSearch: { apiKey: 'sk-123' } })
    expect(secret).toContain(
      'is a secret, which no file may hold. Give it in the environment as CAIRN_API_KEY',
    )
    expect(secret).not.toContain('sk-123')
    const password = refused({ vectorSearch: { baseUrl: 'https://me:hunter2@example.org' } })
    expect(password).toContain('without a user name or password')
    expect(password).not.toContain('hunter2')
  })

  test('any JSON is a configuration or one sentence that names the file', () => {
    const names = fc.constantFrom(
      ...SETTING_NAMES.map((name) => name.split('.')[0] ?? ''),
      'x',
      '__proto__',
    )
    const files = fc.oneof(fc.dictionary(names, fc.jsonValue()), fc.jsonValue(), fc.string())
    fc.assert(
      fc.property(files, (file) => {
        const text = typeof file === 'string' ? file : JSON.stringify(file)
        try {
          readConfiguration(seen({ [PROJECT]: text }))
        } catch (error) {
          expect(error).toBeInstanceOf(CairnError)
          expect((error as CairnError).message).toContain(PROJECT)
        }
      }),
    )
  })
})

describe('as options', () => {
  const optionsOf = (file: unknown, env = {}) =>
    toOpenOptions(readConfiguration(seen({ [PROJECT]: file }, env)))

  test('what nobody said is not there', () => {
    expect(optionsOf({})).toEqual({
      file: '/me/.local/share/cairn/cairn.db',
      search: {},
      cache: {},
      memory: {},
      openAlex: { cacheDir: '/me/.cache/cairn/openalex' },
    })
  })

  test('[A4] every key of a file arrives', () => {
    const file = {
      db: 'x.cairn',
      namespace: 'shop',
      pinned: true,
      busyTimeoutMs: 10,
      vectorSearch: {
        enabled: true,
        provider: 'ollama',
        model: 'm',
        baseUrl: 'http://localhost:1',
        dimensions: 8,
        timeoutMs: 9,
        threshold: 0.4,
      },
      search: { lens: 'exact', mode: 'keyword', match: 'all', limit: 5 },
      cache: { entries: 3, ttlMs: 4 },
      memory: { reinforcement: 0, decay: 2 },
      openAlex: { mailto: 'a@b.org', baseUrl: 'http://127.0.0.1:2', cacheDir: 'cache' },
    }
    expect(optionsOf(file)).toEqual({
      file: '/me/shop/x.cairn',
      namespace: 'shop',
      pinned: true,
      busyTimeoutMs: 10,
      vectors: {
        provider: 'ollama',
        model: 'm',
        baseUrl: 'http://localhost:1',
        dimensions: 8,
        timeoutMs: 9,
      },
      search: { lens: 'exact', mode: 'keyword', match: 'all', limit: 5, threshold: 0.4 },
      cache: { entries: 3, ttlMs: 4 },
      memory: { reinforcement: 0, decay: 2 },
      openAlex: { mailto: 'a@b.org', baseUrl: 'http://127.0.0.1:2', cacheDir: '/me/shop/cache' },
    })
    expect(optionsOf({ cache: { enabled: false } }).cache).toBe(false)
    expect(optionsOf({ vectorSearch: { enabled: false, model: 'm' } }).vectors).toBe(false)
  })

  test('a model without a provider is a mistake', () => {
    expect(refusal(() => optionsOf({ vectorSearch: { model: 'm' } }))).toContain(
      `vectorSearch.model in ${PROJECT} belongs to a provider`,
    )
  })

  test('a project’s file sends texts to no other machine; the user may', () => {
    const remote = { provider: 'openai', baseUrl: 'https://elsewhere.example/v1' }
    expect(refusal(() => optionsOf({ vectorSearch: remote }))).toContain('elsewhere.example')
    const openAlex = { baseUrl: 'http://127.0.0.1.example.org' }
    expect(refusal(() => optionsOf({ openAlex }))).toContain('openAlex.baseUrl in')
    const llm = { provider: 'openai', model: 'large' }
    expect(refusal(() => optionsOf({ llm }))).toContain('would send texts to api.openai.com')
    const vectorSearch = { provider: 'openai', model: 'large' }
    expect(refusal(() => optionsOf({ vectorSearch }))).toContain('send texts to api.openai.com')
    expect(refusal(() => optionsOf({ llm: { ...llm, baseUrl: remote.baseUrl } }))).toContain(
      'llm.baseUrl in',
    )
    const near = { provider: 'ollama', model: 'small', timeoutMs: 5 }
    expect(optionsOf({ llm: near }).llm).toEqual(near)
    expect(refusal(() => optionsOf({ llm: { model: 'm' } }))).toContain('needs llm.provider too')
    const ofUser = toOpenOptions(readConfiguration(seen({ [USER]: { vectorSearch: remote } })))
    expect(ofUser.vectors).toEqual(remote)
    const env = { CAIRN_MODEL_URL: 'https://elsewhere.example/v1' }
    expect(optionsOf({ vectorSearch: remote }, env).vectors).toEqual(remote)
  })

  test('[A5] a pin keeps to the namespace of its own file, whatever comes before', () => {
    const file = { namespace: 'shop', pinned: true }
    const left = refusal(() => optionsOf(file, { CAIRN_NAMESPACE: 'other' }))
    expect(left).toContain(
      `${PROJECT} keeps to the namespace "shop", and $CAIRN_NAMESPACE asks for "other".`,
    )
    expect(optionsOf(file, { CAIRN_NAMESPACE: 'shop' })).toMatchObject(file)
    expect(
      optionsOf({ namespace: 'shop' }, { CAIRN_NAMESPACE: 'other', CAIRN_PINNED: '1' }),
    ).toMatchObject({
      namespace: 'other',
      pinned: true,
    })
  })
})
