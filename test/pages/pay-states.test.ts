import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { violationsOn } from '../support/axe.ts';
import { runChild } from '../support/child-process.ts';
import { openPayStates, type PayState } from '../support/pay-states.ts';
import { whyMissing } from '../support/system-programs.ts';
import { withBrowser } from '../support/test-browser.ts';

type PayStates = Awaited<ReturnType<typeof openPayStates>>;

/** The rules that depend on colours and width. The others are checked once in each language. */
const LOOKED_AT_AGAIN = ['color-contrast', 'target-size', 'link-in-text-block', 'scrollable-region-focusable'];
type Look = [rules: readonly string[], width: number, colorScheme: 'light' | 'dark'];
const LOOKS: Readonly<Record<string, readonly Look[]>> = {
  'es-CL': [
    [[], 360, 'light'],
    // A phone at 200 % zoom.
    [[], 180, 'light'],
    [LOOKED_AT_AGAIN, 360, 'dark'],
    [LOOKED_AT_AGAIN, 1280, 'light'],
    [LOOKED_AT_AGAIN, 1280, 'dark'],
  ],
  'en-US': [
    [[], 1280, 'dark'],
    [LOOKED_AT_AGAIN, 360, 'light'],
  ],
};
const MOST_BYTES = 15_000;
const MARGIN = { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' };

withBrowser('the pages of payers', (openVisitor) => {
  let world: PayStates;
  before(async () => {
    // The look of the pages does not depend on the engine.
    const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });
    await migrate(db);
    world = await openPayStates(db);
  });
  after(() => world.server[Symbol.asyncDispose]());

  for (const [locale, looks] of Object.entries(LOOKS)) {
    test(`have no axe violation and fit the window, light and dark, on a phone and a desktop: ${locale}`, async () => {
      const { page, complaints } = await openVisitor({ locale, reducedMotion: 'reduce' });
      // This script would leave the page after a countdown, and axe needs scripts.
      await page.route('**/submit-form.*', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
      for (const state of world.states) {
        if (state.press !== undefined && state.press !== locale) continue;
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 360, height: 740 });
        await open(page, world.server.origin, state);
        for (const [rules, width, colorScheme] of looks) {
          await page.setViewportSize({ width, height: 740 });
          await page.emulateMedia({ colorScheme });
          const about = `${state.name}, ${width} px, ${colorScheme}`;
          assert.deepEqual(await violationsOn(page, rules), [], about);
          assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${about}: too wide`);
        }
      }
      assert.deepEqual(complaints, []);
    });
  }

  test('a planted violation is found, on the first page and on the next', async () => {
    const { page } = await openVisitor();
    for (const name of ['paid', 'receipt']) {
      await open(page, world.server.origin, stateOf(name));
      await page.evaluate("document.querySelector('main').append(document.createElement('img'))");
      assert.match(JSON.stringify(await violationsOn(page)), /"image-alt".*<img>/, name);
      assert.deepEqual(await violationsOn(page, ['html-has-lang']), [], name);
    }
  });

  test('print every receipt and a poster on one page each', async () => {
    const { page } = await openVisitor({ locale: 'es-CL' });
    for (const name of ['paid', 'receipt', 'partly refunded', 'paid and shop down', 'receipt of a link', 'poster']) {
      await open(page, world.server.origin, stateOf(name));
      await page.emulateMedia({ media: 'print' });
      // The printed page has no forms and buttons.
      assert.equal(await page.locator('button:visible, input:visible, a.primary:visible').count(), 0, name);
      await page.emulateMedia({ media: null });
      const pdf = (await page.pdf({ format: 'Letter', margin: MARGIN })).toString('latin1');
      assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1, name);
    }
  });

  test('let a phone read the code of a poster, light and dark, with the URL of the link', {
    skip: whyMissing('zbarimg') ?? false,
  }, async () => {
    const { page } = await openVisitor({ viewport: { width: 360, height: 740 } });
    const poster = stateOf('poster');
    const url = `http://127.0.0.1:8080${poster.path.replace('/poster', '')}`;
    const picture = join(tmpdir(), `poster-${process.pid}.png`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await open(page, world.server.origin, poster);
      await page.screenshot({ path: picture, fullPage: true });
      const { stdout } = await runChild('zbarimg', ['--quiet', '--raw', picture]);
      assert.equal(stdout.trim(), url, colorScheme);
    }
    rmSync(picture);
  });

  function stateOf(name: string): PayState {
    return world.states.find((state) => state.name === name) as PayState;
  }

  test('weigh less than 15 kB each with all assets except the logo', async () => {
    const { server, states } = world;
    const weights = new Map<string, number>();
    for (const { name, path, press } of states) {
      if (press !== undefined) continue;
      const { text } = await server.get(path);
      let bytes = Buffer.byteLength(text);
      for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/(?:assets|looks)\/[^"]+)"/g)) {
        if (!weights.has(file)) weights.set(file, Buffer.byteLength((await server.get(file)).text));
        if (!/^\/looks\/[0-9a-f]{64}$/.test(file)) bytes += weights.get(file) ?? 0;
      }
      assert.ok(bytes < MOST_BYTES, `${name}: ${bytes} bytes`);
    }
  });
});

async function open(page: Page, origin: string, { path, press }: PayState): Promise<void> {
  // A waiting page would reload itself during the check.
  await page.route(origin + path, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/<meta http-equiv="refresh"[^>]*>/, ''),
    });
  });
  await page.goto(origin + path);
  if (press === undefined) return;
  const loaded = page.waitForEvent('load');
  await page.getByRole('button').first().click();
  await loaded;
}
