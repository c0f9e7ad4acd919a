/** Reading, changing and bringing back a record on the page is tried as a person would do it. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Bench, HOSTILE } from './bench.js'

export function recordCases(bench: () => Bench): void {
  const add = (body: string, title: string) => bench().cairn.add({ body, title })

  test('a record is edited, its history shows what changed, and one press takes it back', async () => {
    const { id } = await add('The kettle is on the left shelf.', 'Kettle')
    const page = await bench().open(`/record/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Text').fill('The kettle is on the right shelf.')
    await page.getByLabel('Tags').fill('kitchen,')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.body', { hasText: 'right shelf' }).waitFor()
    const stored = (await bench().cairn.get([id])).records[0]
    expect(stored).toMatchObject({ body: 'The kettle is on the right shelf.', tags: ['kitchen'] })

    await page.locator('.revisions summary').first().click()
    expect(await page.locator('.difference del').first().innerText()).toBe('left')
    expect(await page.locator('.difference ins').first().innerText()).toBe('right')

    await page.locator('.notice-undo').click()
    await page.locator('.body', { hasText: 'left shelf' }).waitFor()
    expect((await bench().cairn.get([id])).records[0]?.body).toBe(
      'The kettle is on the left shelf.',
    )
  })

  test('what is typed is kept across keys, views, reloads, closed tabs and a server that is gone', async () => {
    const { id } = await add('The hammer is in the blue box.', 'Hammer')
    const page = await bench().open(`/record/${id}`)
    await page.locator('.around').waitFor()
    await page.keyboard.press('e')
    await page.getByLabel('Text').fill('The hammer is in the red box.')
    await page.locator('.draft-note', { hasText: 'kept in this browser' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await page.getByLabel('Text').inputValue()).toBe('The hammer is in the red box.')

    await page.getByRole('link', { name: 'Add' }).click()
    const form = page.locator('form.card')
    await form.getByLabel('Text', { exact: true }).fill('The saw hangs beside the door.')
    await form.getByLabel('Tags').fill('tools')
    await page.context().setOffline(true)
    await form.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('alert').getByText('does not answer').waitFor()
    await page.context().setOffline(false)
    await page.reload()
    expect(await form.getByLabel('Text', { exact: true }).inputValue()).toContain('The saw hangs')
    await form.locator('.chip', { hasText: 'tools' }).waitFor()
    await form.locator('.draft-note', { hasText: 'From your draft of' }).waitFor()
    await form.getByRole('button', { name: 'Add' }).click()
    await form.locator('.outcome').waitFor()
    expect(await form.locator('.draft-note').count()).toBe(0)

    // As after the tab was closed.
    const other = await page.context().newPage()
    await other.goto(`${bench().url}/record/${id}`)
    await other.getByRole('button', { name: 'Continue editing' }).click()
    expect(await other.getByLabel('Text').inputValue()).toBe('The hammer is in the red box.')
    await other.getByRole('button', { name: 'Discard changes' }).click()
    await other.locator('.body', { hasText: 'blue box' }).waitFor()
    expect(await other.locator('.draft-banner').count()).toBe(0)
    await other.close()
  })

  test('a deleted record is gone, the page stays, and undo stays until it is pressed', async () => {
    const { id } = await add('The ladder belongs to the neighbours.', 'Ladder')
    // A window of its own, because its clock is turned.
    const page = await (await bench().open('/')).context().newPage()
    await page.clock.install()
    // Opened from elsewhere, left and returned to: back would leave the page.
    await page.goto(`${bench().url}/record/${id}`)
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.locator('.session').first().waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Delete' }).click()
    const notice = page.locator('.notice', { hasText: 'Deleted: Ladder' })
    await notice.waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    expect((await bench().cairn.get([id])).missing).toEqual([id])
    await page.clock.fastForward('05:00')
    await notice.locator('.notice-undo').click()
    await page.locator('h1', { hasText: 'Ladder' }).waitFor()
    expect((await bench().cairn.get([id])).records).toHaveLength(1)
    await page.close()
  })

  test('the address of a deleted record offers to restore it', async () => {
    const { id } = await add('The spare key hangs behind the clock.', 'Spare key')
    await bench().cairn.delete([id])
    const page = await bench().open(`/record/${id}`)
    await page.getByRole('button', { name: 'Restore it' }).click()
    await page.locator('.body', { hasText: 'spare key' }).waitFor()
  })

  test('an address that leads to no record says so', async () => {
    const page = await bench().open('/record/01ZZZZZZZZZZZZZZZZZZZZZZZZ')
    await page.getByRole('alert').waitFor()
  })

  test('a deep link can be reloaded, and shows what surrounds the record', async () => {
    const id = bench().ids.get('note-release-day-thursday') ?? ''
    const page = await bench().open(`/record/${id}`)
    await page.reload()
    await page.locator('h1', { hasText: 'Release day moved' }).waitFor()
    await page.locator('.around [aria-current]', { hasText: 'Release day moved' }).waitFor()
    await page.locator('.links', { hasText: 'supersedes' }).waitFor()
    await page.locator('h2', { hasText: 'Similar' }).waitFor()
    await bench().shoot('record-light')
  })

  test('images of other sites are links until the settings allow them', async () => {
    let asked = 0
    const site = createServer((_, answer) => {
      asked++
      answer.setHeader('content-type', 'image/svg+xml')
      answer.end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void site.close())
    const { port } = site.address() as AddressInfo
    const body = `# Map\n\nHere: ![the map](http://127.0.0.1:${port}/map.svg)`
    const { id } = await bench().cairn.add({ title: 'Map', body, metadata: { path: 'map.md' } })
    const page = await bench().open(`/record/${id}`)
    await page.getByRole('link', { name: 'Image: the map' }).waitFor()
    expect(asked).toBe(0)
    const choose = async (isAllowed: boolean) => {
      await page.goto(new URL('/settings', page.url()).href)
      const reloaded = page.waitForEvent('load')
      await page.getByLabel('Show images of other sites').setChecked(isAllowed)
      await reloaded
      await page.goto(new URL(`/record/${id}`, page.url()).href)
    }
    await choose(true)
    const image = page.getByRole('img', { name: 'the map' })
    await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(9)
    await choose(false)
    await page.getByRole('link', { name: 'Image: the map' }).waitFor()
  })

  test('Markdown is read: links, code, tables and contents work, and the raw text is one press away', async () => {
    const other = await bench().cairn.add({
      ...{ body: 'The pooler listens on 6543.', title: 'Ports', source: 'ops/pooler-ports.md' },
    })
    const body = [
      '# Deploying\n\nSee [[pooler-ports|the ports]], [the manual](https://example.org/m) and [below](#roll-back).',
      'A type is `Vec<String>`, Vec<String> stays; ![map](https://example.org/map.png) is not fetched.',
      'As HTML: <a href="https://example.org/raw" style="color: red" onclick="harmed()">raw link</a>.',
      '```ts\nconst size: number = 20\n```',
      '| host | port |\n| --- | --- |\n| db-1 | 5432 |',
      '## Steps\n\n- [x] drain',
      `## Filler\n\n${'Nothing happens here for a long while. '.repeat(200)}`,
      '## Roll back!\n\nNever on a Friday.',
    ].join('\n\n')
    const { id } = await bench().cairn.add({
      ...{ body, title: 'Deploying', kind: 'document', metadata: { path: 'ops/deploying.md' } },
    })
    await bench().cairn.links.add({ from: id, to: other.id, type: 'RELATED_TO' })
    const page = await bench().open(`/record/${id}`)
    await page.locator('.prose .hljs-keyword', { hasText: 'const' }).waitFor()
    await page.locator('.prose .table-scroll td', { hasText: '5432' }).waitFor()
    expect(await page.locator('.prose').innerText()).toContain('Vec<String> stays')
    expect(await page.locator('.prose img').count()).toBe(0)
    for (const name of ['the manual', 'raw link', 'Image: map']) {
      const link = page.getByRole('link', { name })
      expect(await link.evaluate((a) => a.getAttributeNames().sort())).toEqual([
        ...['href', 'rel', 'target'],
      ])
    }
    // The title is shown once.
    expect(await page.getByRole('heading', { name: 'Deploying' }).count()).toBe(1)

    const isSeen = () => page.locator('.prose h2', { hasText: 'Roll back!' }).isVisible()
    const scrolled = () => page.evaluate(() => scrollY)
    await page.getByRole('link', { name: 'below' }).click()
    await expect.poll(scrolled).toBeGreaterThan(300)
    expect(await isSeen()).toBe(true)
    await page.locator('.contents').getByText('Steps').click()
    await expect.poll(scrolled).toBeLessThan(900)

    await page.getByRole('button', { name: 'Raw text' }).click()
    const flat = (text: string) => text.replace(/\s+/g, ' ')
    const isRaw = async () => flat((await page.locator('.body').textContent()) ?? '') === flat(body)
    await expect.poll(isRaw).toBe(true)
    await page.getByRole('button', { name: 'Raw text' }).click()
    await page.getByRole('link', { name: 'the ports' }).click()
    await page.locator('h1', { hasText: 'Ports' }).waitFor()
  })

  test('a hit opens at its passage, all matches are marked, and n and N step through them', async () => {
    const filler = (n: number) => `## Part ${n}\n\n${'The caravan counted stones. '.repeat(70)}`
    const parts = Array.from({ length: 24 }, (_, n) => filler(n))
    parts[16] += '\n\nThe **quokka** lantern was lit.\n\nNo quokkas were seen.'
    parts[22] += '\n\nAnother quokka.'
    const { id } = await bench().cairn.add({
      ...{ body: parts.join('\n\n'), title: 'The walk', metadata: { path: 'walk.md' } },
    })
    const page = await bench().open('/?q=quokka+lantern')
    await page.locator(`[data-hit="${id}"]`).click()
    const marks = page.locator('.body mark')
    const seen = (text: string) =>
      marks.filter({ hasText: text }).evaluateAll((all) =>
        all.map((mark) => {
          const { top, bottom } = mark.getBoundingClientRect()
          return top > 0 && bottom < innerHeight
        }),
      )
    await expect.poll(() => seen('lantern')).toEqual([true])
    await expect.poll(() => marks.allInnerTexts()).toContain('quokkas')
    for (const [key, status] of [
      ['n', 'Match 1 of 4'],
      ['n', 'Match 2 of 4'],
      ['N', 'Match 1 of 4'],
      ['N', 'Match 4 of 4'],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => page.locator('.match-bar').innerText()).toBe(status)
    }
    await expect.poll(() => seen('quokka').then((all) => all.at(-1))).toBe(true)
    expect(await page.locator('mark.is-current').innerText()).toBe('quokka')
    await page.waitForTimeout(400)
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.locator('.session').first().waitFor()
    await page.goBack()
    await expect.poll(() => seen('quokka').then((all) => all.at(-1))).toBe(true)
  })

  test('text that means harm does none, and as raw text it is what was stored', async () => {
    const id = bench().ids.get('hostile') ?? ''
    const page = await bench().open(`/record/${id}`)
    await page.locator('.prose', { hasText: 'click me' }).waitFor()
    const seen = () =>
      page.evaluate(() => ({
        harmed: 'harmed' in window,
        scripts: document.querySelectorAll('body script, [onerror], [onload], main img').length,
        links: [...document.querySelectorAll('a')].filter((a) => !/^https?:/.test(a.protocol))
          .length,
      }))
    const NONE = { harmed: false, scripts: 0, links: 0 }
    expect(await seen()).toEqual(NONE)
    await page.getByRole('button', { name: 'Raw text' }).click()
    await expect.poll(() => page.locator('.body').innerText()).toBe(HOSTILE.body)
    expect(await page.locator('h1').innerText()).toBe(HOSTILE.title)
    await page.goto(
      `${bench().url}/?q=${encodeURIComponent('<img src=x onerror=alert(1)> harmed')}`,
    )
    await page.locator('[data-hit]').first().waitFor()
    expect(await seen()).toEqual(NONE)
  })

  test('a change of direction ends with the text that it is in', async () => {
    const id = bench().ids.get('hostile') ?? ''
    const page = await bench().open(`/record/${id}`)
    const style = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((node) => getComputedStyle(node).unicodeBidi)
    expect(await style('.body')).toBe('plaintext')
    expect(await style('h1 bdi')).toBe('isolate')
  })

  test('a work shows what it cites and leads to its graph', async () => {
    const page = await bench().open(`/?q=${encodeURIComponent('title:attention')}&kind=work`)
    await page.locator('[data-hit]', { hasText: 'Attention Is All You Need' }).click()
    await page.locator('.block h2', { hasText: 'Cited by' }).waitFor()
    await page.locator('.actions').getByRole('link', { name: 'Graph' }).click()
    await page.locator('.graph-list a').first().waitFor()
    expect(await page.locator('.graph-list a').first().innerText()).toContain('Attention')
  })
}
