import { expect, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { golden, jsonOf, terminal } from '../../test/support/terminal.js'

test('every error is one sentence with what to do, as written down', async () => {
  const cairn = terminal(temporaryFile())
  const { id } = await jsonOf(cairn)<{ id: string }>('add', 'an apple')
  await cairn('session', 'start', '--name', 'over')
  await cairn('session', 'end', 'over', '--summary', 'nothing')
  const lines: string[] = []
  const attempts: string[][] = [
    ['serach', 'x'],
    ['search', 'x', '--limt', '3'],
    ['search', 'x', '--limit', 'many'],
    ['search', 'x', '--limit', '0'],
    ['search', 'x', '--limit'],
    ['search', 'x', '--offset', '-1'],
    ['search', 'x', '--since', 'soon'],
    ['search', 'x', '--match', 'most'],
    ['search', 'x', '--field', 'sky'],
    ['search', 'x', '--tag', ''],
    ['search', 'x', '--no-tag', ''],
    ['search', 'x', '--id', 'nonsense'],
    ['search', 'x', '--json=yes'],
    ['add'],
    ['add', '  '],
    ['add', 'x', '--kind', 'poem'],
    ['add', 'x', '--importance', '7'],
    ['add', 'x', '--meta', 'novalue'],
    ['add', 'x', 'y'],
    ['add', '--file', 'no/such/file.md'],
    ['get'],
    ['get', 'short'],
    ['get', '7ZZZZZZZZZZ'],
    ['edit', id],
    ['edit', '7ZZZZZZZZZZ', 'text'],
    ['delete', '7ZZZZZZZZZZ'],
    ['restore', id],
    ['purge'],
    ['purge', id, '--deleted'],
    ['list', '--cursor', 'nonsense'],
    ['list', 'extra'],
    ['stats', '--log-level', 'loud'],
    ...memoryAttempts(id),
    ...literatureAttempts(id),
  ]
  for (const args of attempts) {
    const { code, out: printed, err } = await cairn(...args)
    expect({ args, printed }).toEqual({ args, printed: '' })
    expect(err.trim().split('\n')).toHaveLength(1)
    const shown = args.map((arg) => (arg === id ? 'ID' : arg)).join(' ')
    lines.push(
      `$ cairn ${shown}\n${err
        .replaceAll(id, 'ID')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')
        .trim()}  [exit ${code}]`,
    )
  }
  golden('errors.txt', `${lines.join('\n\n')}\n`)
})

function memoryAttempts(id: string): string[][] {
  return [
    ['session', 'strat'],
    ['session', '--limit', '3'],
    ['sesion'],
    ['session', 'show'],
    ['session', 'show', 'nowhere'],
    ['session', 'start', '--name', 'over'],
    ['session', 'end', 'over'],
    ['session', 'list', '--state', 'closed'],
    ['add', 'x', '--session', 'nowhere'],
    ['add', 'x', '--sector', 'happy'],
    ['add', 'x', '--tier', 'huge'],
    ['add', 'x', '--salience', '0'],
    ['edit', id, '--session', 'over'],
    ['search', 'x', '--session', 'nowhere'],
    ['search', 'x', '--recall', 'nowhere'],
    ['search', 'x', '--as-of', 'soon'],
    ['search', 'x', '--lens', 'rosy'],
    ['search', 'x', '--sector', 'happy'],
    ['search', 'x', '--fact-type', 'rumour'],
    ['search', 'x', '--year', 'soon'],
    ['search', 'x', '--context', '99'],
    ['search', 'x', '--boost', 'release'],
    ['search', 'x', '--boost', 'colour:red=2'],
    ['fact', 'add', id, 'Priya', 'prefers'],
    ['fact', 'add', id, 'Priya', 'prefers', 'tabs', '--type', 'rumour'],
    ['fact', 'add', id, 'Priya', 'prefers', 'tabs', '--confidence', '2'],
    ['fact', 'reinforce'],
    ['fact', 'reinforce', 'nonsense'],
    ['fact', 'remove', '7ZZZZZZZZZZ'],
    ['link', id],
    ['link', id, id],
    ['link', id, '7ZZZZZZZZZZ'],
    ['link', id, id, '--type', 'two words'],
    ['link', id, id, '--type', 'SUPERSEDES'],
    ['unlink', id, id],
    ['supersede', id],
    ['supersede', id, id],
    ['reinforce'],
    ['reinforce', id, '--amount', '2'],
    ['reinforce', id, '--session', 'nowhere'],
    ['why', '7ZZZZZZZZZZ'],
    ['replay', '--session', 'nowhere'],
    ['undo', id],
    ['undo', id, '--to', '3'],
    ['timeline', '7ZZZZZZZZZZ'],
    ['timeline', id, '--since', '7d'],
    ['timeline', '--until', 'soon'],
    ['lens', 'save'],
    ['lens', 'save', 'two words'],
    ['lens', 'save', 'memory'],
    ['lens', 'save', 'mine', '--alpha', '3'],
    ['lens', 'show', 'rosy'],
    ['lens', 'remove', 'exact'],
  ]
}

function literatureAttempts(id: string): string[][] {
  return [
    ['import'],
    ['import', 'no/such/place'],
    ['import', 'test/golden', '--format', 'poem'],
    ['import', 'test/golden', '--git', '--format', 'text'],
    ['import', '-'],
    ['import', 'test/golden', '--batch', '0'],
    ['import', 'test/golden', '--prune', '--no-prune'],
    ['watch', 'test/golden', '--batch', '0'],
    ['watch'],
    ['watch', 'package.json'],
    ['export', '--format', 'poem'],
    ['export', 'nobody2000nothing'],
    ['export', 'nobody2000nothing', '--tag', 'x'],
    ['export', '--output', 'package.json'],
    ['citations'],
    ['citations', 'nobody2000nothing'],
    ['cite'],
    ['cite', 'nobody2000nothing'],
    ['cite', id],
    ['cite', 'x', '--style', 'poem'],
    ['explore'],
    ['explore', 'x', '--depth', '99'],
    ['explore', 'x', '--max', '0'],
    ['explore', 'x', '--decay', '2'],
    ['explore', 'x', '--kind', 'work'],
    ['openalex', 'serach'],
    ['openalex', 'get'],
    ['openalex', 'get', 'on cairns'],
    ['openalex', 'search'],
    ['openalex', 'search', 'x', '--limit', '0'],
    ['openalex', 'search', 'x', '--since', 'soon'],
    ['openalex', 'search', 'x', '--mailto', 'nobody'],
    ['openalex', 'expand'],
    ['openalex', 'expand', 'nobody2000nothing'],
    ['openalex', 'expand', 'W1', '--base-url', 'nonsense'],
    ['optimise'],
  ]
}
