import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { createConsoleApp, fillConsole } from '../support/full-console.ts';
import { startTestServer } from '../support/test-server.ts';

/** What a stranger writes into every field that a form has. */
const TEXT = '4711471147';

/** The fields that links of the console name: what the form is about. */
const LINKED = ['/console/payout-files/new batch', '/console/staff/:id/confirm of'];

forEachEngine('a form of the console', (openTestDatabase) => {
  test('is not filled in by a link of somebody else', async () => {
    const app = createConsoleApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { owner, screens } = await fillConsole(app, server);
    const filled: string[] = [];
    const seen = new Set<string>();
    for (const { route, path } of screens) {
      const names = fieldsOf((await server.get(path, owner.console)).text).map(([name]) => name);
      for (const name of new Set(names)) seen.add(`${route} ${name}`);
      const query = String(new URLSearchParams([...new Set(names)].map((name) => [name, TEXT])));
      // Each name alone too: a screen may refuse a query in which another one is wrong.
      for (const asked of [query, ...new Set(names)].map((one) => (one === query ? query : `${one}=${TEXT}`))) {
        const { text } = await server.get(`${path}${path.includes('?') ? '&' : '?'}${asked}`, owner.console);
        for (const [name, field] of fieldsOf(text)) if (field.includes(TEXT)) filled.push(`${route} ${name}`);
      }
    }
    for (const one of [
      '/console/merchants/:id url',
      '/console/movements/deposit amount',
      '/console/payouts/:id reason',
    ])
      assert.ok(seen.has(one), one);
    assert.deepEqual([...new Set(filled)].sort(), LINKED);
  });
});

/** Returns the fields of the forms of a page that change something; not the filters that a form keeps. */
function fieldsOf(page: string): [name: string, field: string][] {
  const forms = [...page.matchAll(/<form\b[^>]*method="post"[^>]*>.*?<\/form>/gs)].map(([form]) => form);
  return forms
    .filter((form) => !/action="[^"]*\/(?:language|find)"/.test(form))
    .flatMap((form) => [...form.matchAll(/<(input|textarea|select)\b[^>]*? name="(\w+)"[^>]*>(?:[^<]*)/g)])
    .map(([field, , name = '']): [string, string] => [name, field])
    .filter(([name]) => name !== 'kept');
}
