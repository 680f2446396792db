import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { withTable } from '../../src/lib/tables/open-table.ts';
import { forEachEngine } from '../support/engines.ts';
import { createConsoleApp, fillConsole } from '../support/full-console.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** The pages with tables that are not lists, each with the content of its tables. A list uses `sendList`. */
const NO_LISTS: Readonly<Record<string, string>> = {
  '/console': 'the shares of the day, and the first of what waits',
  '/console/account': 'one’s own factors and sessions',
  '/console/callbacks/:id': 'the last answers of one endpoint',
  '/console/health': 'what doctor says of each process',
  '/console/merchants/:id': 'the tokens and endpoints of one merchant',
  '/console/payments/:id/refund': 'the entries of a refund',
  '/console/payments/:id/requests/:request/approve': 'the entries of an approval',
  '/console/payouts/:id/approve': 'the entries of an approval',
  '/console/batches/:id/approve': 'the entries of an approval',
  '/console/payout-files/new': 'what would go into a file',
  '/console/recipients/:id': 'the accounts that one recipient had',
  '/console/restore': 'what a restore holds, and what to compare',
  '/console/verification': 'what the last verification of the books found',
  '/console/suspense/:id': 'the entries of each decision',
  '/console/movements/:id': 'the entries that take a deposit or payout back',
  '/console/staff/:id': 'the sessions and tokens of one person',
};

/** The lists of one subject whose lines are in several tables of a page, and in one file. */
const IN_PARTS = [
  '/console/settlements/:id',
  '/console/batches/:id',
  '/console/payout-files/:id',
  '/console/statements/:id',
];

/** A text that no row of any list has. */
const NO_ROW = 'no-row-has-this';

/** The words that are the same in both languages. */
const SHARED_WORDS = ['Callback', 'Callbacks', 'Endpoint', 'Logo', 'Node', 'PHP', 'Python', 'RUT', 'Secret Token'];

forEachEngine('every list of the console', (openTestDatabase, engine) => {
  // Workbooks do not depend on the engine.
  const withWorkbooks = engine === 'sqlite';

  const open = async (context: TestContext) => {
    const app = createConsoleApp(await openTestDatabase());
    const server = await startTestServer(app);
    context.after(() => server[Symbol.asyncDispose]());
    const { owner, screens } = await fillConsole(app, server);
    const get = async (path: string) => {
      const { status, text } = await server.get(path, owner.console);
      assert.equal(status, 200, path);
      return text;
    };
    return { server, get, cookie: owner.console, screens };
  };

  test('and every other screen is in the language of the person', async (context) => {
    const { server, cookie, screens } = await open(context);
    for (const { route, path } of screens) {
      const read = async (language: string) =>
        wordsOf((await server.get(path, { ...cookie, 'accept-language': language })).text, route);
      const english = await read('en');
      const same = (await read('es')).filter((words) => english.includes(words) && !SHARED_WORDS.includes(words));
      assert.deepEqual(same, [], `${route}: its words are in a file of texts, in both languages, or in SHARED_WORDS`);
    }
  });

  test('the answer that support sends to a shop is in Spanish, with Chilean time', async (context) => {
    const { get, screens } = await open(context);
    const pages = await Promise.all(
      screens.filter(({ route }) => route === '/console/payments/:id').map(({ path }) => get(path)),
    );
    const told = pages.join('').match(/Último callback, .*\./g);
    assert.deepEqual(told, ['Último callback, 2026-01-15 09:00:00 -03:00: La tienda respondió 404.']);
  });

  test('has filters and an order, and its files have the rows that it shows', async (context) => {
    const { get, cookie, server, screens } = await open(context);
    const seen: string[] = [];
    const others: string[] = [];
    const empty: string[] = [];
    for (const { route, path } of screens) {
      const page = await get(path);
      if (!page.includes('class="exports"')) {
        if (page.includes('<table')) others.push(route);
        else if (page.includes('class="card empty"')) empty.push(route);
        continue;
      }
      if (IN_PARTS.includes(route)) continue;
      seen.push(route);
      assert.ok(rowsOf(page).length > 0, `${route} shows no row: fillConsole (test/support/full-console.ts) makes one`);
      const asked = questionsFor(page);
      assert.ok(asked.length > 1, `${route} has no filter: each list has \`filters\` in its sendList`);
      const counts = new Set<number>();
      // Both files have the same rows, so a workbook in the default order and one in another order are enough.
      for (const query of asked) {
        const count = await compare(server, cookie, asking(path, query), withWorkbooks && query === '');
        // An account is in one currency, and a refused one shows pesos.
        if (query.endsWith(`=${NO_ROW}`) && !query.startsWith('currency='))
          assert.equal(count, 0, `${route}: ${query} filters nothing: the rows of sendList pass its filters`);
        counts.add(count);
      }
      assert.ok(counts.size > 1, `${route}: a filter removes rows`);
      const [fields = ''] = /<form class="filters".*?<\/form>/s.exec(page) ?? [];
      for (const [, name = ''] of fields.matchAll(/<(?:select|input type="date") name="(\w+)"/g)) {
        const { status, text } = await server.get(asking(path, `${name}=foo`), cookie);
        assert.equal(status, 400, `${route} refuses ${name}=foo`);
        assert.match(text, /role="alert"/);
      }
      for (const [, name = ''] of fields.matchAll(/<select name="(\w+)"/g))
        assert.equal((await server.get(asking(path, `${name}=foo&format=csv`), cookie)).status, 400, route);
      const days = [...fields.matchAll(/<input type="date" name="(\w+)"/g)].map(([, name]) => `${name}=2019-01-01`);
      const chosen = asked.filter((query) => fields.includes(`<select name="${query.split('=')[0]}"`));
      for (const query of chosen) {
        const { status } = await server.get(asking(path, [query, ...days].join('&')), cookie);
        assert.equal(status, 200, `${route}: ${query} on a day without rows`);
      }
      const names = [...page.matchAll(/<th scope="col"[^>]*><a href="[^"]*[?&;]sort=([\w-]+)"/g)].map(
        ([, name]) => name,
      );
      assert.ok(names.length > 1, `${route} has one column or none with a heading that sorts: a list has at least two`);
      for (const query of ['sort=foo', 'sort=-', 'sort=foo&format=csv']) {
        const { status, text } = await server.get(asking(path, query), cookie);
        assert.deepEqual([status, /role="alert"/.test(text)], [400, true], `${route} refuses ${query}`);
        assert.doesNotMatch(text, /<table|name="sort"/, `${route}: ${query} shows nothing, and is not sent again`);
      }
      for (const name of names)
        await compare(server, cookie, asking(path, `sort=-${name}`), withWorkbooks && name === names[0]);
    }
    assert.deepEqual(empty, [], 'each list has a row, made in test/support/full-console.ts');
    assert.deepEqual(
      others.toSorted(),
      Object.keys(NO_LISTS).toSorted(),
      'each other page with a table is in NO_LISTS',
    );
    for (const route of ['merchants', 'merchants/:id/links', 'accounts/:id', 'staff', 'staff/tokens', 'payments'])
      assert.ok(seen.includes(`/console/${route}`), `${route} is a list: ${seen.join(' ')}`);
  });
});

/**
 * Returns the words of a screen that are no data: its headings, buttons and labels. Ids, file names and amounts have a
 * digit or `_`; the heading of one subject may be its name.
 */
function wordsOf(page: string, route: string): string[] {
  const heading = route.includes('/:') ? '' : 'title|h1|';
  const elements = page.matchAll(
    new RegExp(`<(${heading}h2|h3|th|button|label|legend|summary)\\b[^>]*>(.*?)</\\1>`, 'gs'),
  );
  return [...elements]
    .map(([, , content = '']) =>
      content
        .replace(/<[^>]*>/g, ' ')
        .replace(' · Rúbrica', '')
        .trim(),
    )
    .filter((words) => /\p{L}/u.test(words) && !/[\d_]/.test(words));
}

/**
 * Returns the queries that the filters of a list can make: none, each choice of a field, a text that a row has, and one
 * that no row has.
 */
function questionsFor(page: string): string[] {
  const form = /<form class="filters"[^>]*>(.*?)<\/form>/s.exec(page)?.[1] ?? '';
  const choices = [...form.matchAll(/<select name="(\w+)">(.*?)<\/select>/gs)].flatMap(([, name, options = '']) =>
    [...options.matchAll(/<option value="([^"]+)"/g)].map(([, value = '']) => `${name}=${encodeURIComponent(value)}`),
  );
  const texts = [...form.matchAll(/<input type="search" name="(\w+)"/g)].flatMap(([, name]) => [
    `${name}=${NO_ROW}`,
    `${name}=ORD-7`,
  ]);
  const days = [...form.matchAll(/<input type="date" name="(\w+)"/g)].map(([, name]) => `${name}=2019-01-01`);
  return ['', ...choices, ...texts, ...days];
}

/**
 * Asserts that each file of a list has the rows of its page, in their order, and that a refused request gets no file.
 * Returns the number of rows.
 */
async function compare(
  server: TestServer,
  cookie: Record<string, string>,
  path: string,
  withWorkbook: boolean,
): Promise<number> {
  const page = await server.get(path, cookie);
  const shown = rowsOf(page.text);
  const link = /<p class="exports"><a class="button" download href="([^"]*)"/.exec(page.text)?.[1];
  if (page.status === 400) {
    assert.equal(link, undefined, `${path} exports no other rows`);
    assert.equal((await server.get(`${path}&format=csv`, cookie)).status, 400);
    return shown.length;
  }
  assert.equal(link !== undefined, shown.length > 0, `${path} exports what it shows`);
  if (link === undefined) return 0;
  const csv = await server.get(plain(link), cookie);
  assert.match(csv.headers.get('content-disposition') ?? '', /^attachment; filename="[\w-]+\.csv"$/);
  const rows = await readTable(Buffer.from(csv.text));
  assert.equal(rows.length - 1, shown.length, `${path}\n${csv.text}`);
  for (const [at, row] of shown.entries()) {
    const cells = (rows[at + 1] ?? []).filter((cell) => cell !== '');
    assert.ok(
      cells.some((cell) => row.includes(cell)),
      `${path}: ${cells.join(' | ')} is not ${row}`,
    );
    assert.ok(row.includes(rows[at + 1]?.[0] ?? ''), `${path}: ${rows[at + 1]?.[0]} is not in ${row}`);
  }
  if (!withWorkbook) return shown.length;
  const book = await fetch(server.origin + plain(link).replace('format=csv', 'format=xlsx'), { headers: cookie });
  assert.deepEqual(await readTable(Buffer.from(await book.arrayBuffer())), rows, path);
  return shown.length;
}

/** Returns the address with one more query. */
function asking(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Returns the rows of the list on a page. */
function rowsOf(page: string): string[] {
  const body = /<table data-live>.*?<tbody>(.*?)<\/tbody>/s.exec(page)?.[1] ?? '';
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => plain(row));
}

function plain(html: string): string {
  const marks: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
  return html.replace(/&(?:amp|lt|gt|quot|#39);/g, (mark) => marks[mark] ?? mark);
}

function readTable(content: Buffer): Promise<string[][]> {
  return withTable(Readable.from([content]), null, async ({ rows }) => {
    const read: string[][] = [];
    // A sheet omits the empty cells at the end of a row.
    for await (const { cells } of rows) read.push(cells.slice(0, 1 + cells.findLastIndex((cell) => cell !== '')));
    return read;
  });
}
