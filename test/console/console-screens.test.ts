import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Response } from 'playwright-core';
import { typedQuery } from '../../src/console/kept-typing.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { violationsOn } from '../support/axe.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createConsoleApp, fillConsole } from '../support/full-console.ts';
import { TESTER } from '../support/test-actor.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { withBrowser } from '../support/test-browser.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

/**
 * The rules that depend on colours, width and language. The others are checked once, because the elements are the same.
 */
const LOOKED_AT_AGAIN = [
  'color-contrast',
  'target-size',
  'link-in-text-block',
  'scrollable-region-focusable',
  'label',
  'button-name',
  'link-name',
  'html-has-lang',
  'html-lang-valid',
  'document-title',
];
/** Returns the text of tables and cards with content that is wider than they are. */
const CUT_OFF =
  "[...document.querySelectorAll('.card, td')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText.slice(0, 80))";
/** Returns badges and ages in tables that take more than one line: on a wide screen they have room for one. */
const BROKEN =
  "[...document.querySelectorAll('td .badge, td .whole')].filter((e) => e.offsetHeight > 1.9 * parseFloat(getComputedStyle(e).lineHeight)).map((e) => e.innerText)";
/**
 * Returns the sections that are marked as the present one, if their name is not visible: in the navigation or on its
 * button.
 */
const SECTION_OUT_OF_SIGHT =
  "[...document.querySelectorAll('nav a[aria-current]')].filter((e, at) => at > 0 || !(e.checkVisibility() || document.querySelector('.menu').innerText.includes(e.textContent))).map((e) => e.textContent)";
/** Returns the links of the navigation that are cut off by the window. */
const LINKS_CUT_OFF =
  "[...document.querySelectorAll('nav a')].filter((e) => { const { left, right, width } = e.getBoundingClientRect(); return width === 0 || left < 0 || right > innerWidth; }).map((e) => e.textContent)";
/**
 * Returns the choices whose border is not the one of the text fields: an empty choice is visible by its border alone.
 */
const FAINT =
  "[...document.querySelectorAll('main select')].filter((e) => getComputedStyle(e).borderTopColor !== getComputedStyle(document.querySelector('input:not([type=hidden])')).borderTopColor).map((e) => e.name)";
/** Returns the hints of text fields that are wider than their field: their end is cut off. */
const HINTS_CUT_OFF =
  "[...document.querySelectorAll('input[placeholder]')].filter((e) => { const { fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(e); const pen = document.createElement('canvas').getContext('2d'); pen.font = `${fontSize} ${fontFamily}`; return e.checkVisibility() && pen.measureText(e.placeholder).width > e.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight); }).map((e) => e.placeholder)";
/** Returns the labels of cells without content: on a phone every cell has a line with its label. */
const EMPTY_CELLS =
  "[...document.querySelectorAll('td:empty')].filter((e) => e.checkVisibility()).map((e) => e.dataset.label)";
const LONG_EMAIL = 'maria.fernanda.gonzalez-undurraga@departamento-de-adquisiciones.example.cl';
const LONG_NAME = 'Sociedad Comercializadora de Productos Artesanales y Gastronómicos del Sur Austral de Chile Ltda';
/** Screens without a section: those of the person. */
const WITHOUT_SECTION = /^\/console\/(account|prove)\b/;
const LOOKS: [about: string, rules: readonly string[], options: BrowserContextOptions][] = [
  ['Spanish, light, a desk', [], { locale: 'es-CL', colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  [
    'English, dark, a phone',
    LOOKED_AT_AGAIN,
    { locale: 'en-US', colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  ],
];

withBrowser('the console in a browser', (openVisitor) => {
  forEachEngine('every screen', (openTestDatabase, engine) => {
    // The look of the pages does not depend on the engine.
    const once = { skip: engine === 'postgres' };

    for (const [about, rules, options] of LOOKS) {
      test(`passes axe and its content policy, and fits its window (${about})`, once, async (context) => {
        const { origin, cookie, operator, paths } = await openConsole(context, openTestDatabase);
        const { context: browser, page, complaints } = await openVisitor(options);
        await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
        for (const path of paths) {
          const answer = await page.goto(origin + path);
          assert.equal(answer?.status(), 200, path);
          assertReports(answer, path);
          assert.equal(answer?.headers()['cross-origin-embedder-policy'], 'require-corp', path);
          const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth + 1');
          assert.equal(wide, false, `${path} is wider than the window`);
          assert.deepEqual(await page.evaluate(SECTION_OUT_OF_SIGHT), [], path);
          const here = await page.evaluate("document.querySelectorAll('nav a[aria-current]').length");
          assert.equal(here, WITHOUT_SECTION.test(path) ? 0 : 1, `${path} is in one section`);
          assert.deepEqual(await page.evaluate(CUT_OFF), [], `${path} is cut off`);
          assert.deepEqual(await page.evaluate(FAINT), [], path);
          assert.deepEqual(await page.evaluate(HINTS_CUT_OFF), [], path);
          if (options.viewport?.width === 1280) assert.deepEqual(await page.evaluate(BROKEN), [], path);
          else assert.deepEqual(await page.evaluate(EMPTY_CELLS), [], path);
          assert.deepEqual(await violationsOn(page, rules), [], path);
        }
        assert.deepEqual(complaints, []);
        await page.goto(`${origin}/console/payments`);
        await page.setViewportSize({ width: 360, height: 740 });
        assert.deepEqual(await page.evaluate(HINTS_CUT_OFF), [], 'in both languages on a phone');
        await page.goto(`${origin}/console/payouts`);
        for (const link of await page.locator('thead a').all()) {
          await link.focus();
          const { x, y, width: seen } = (await link.boundingBox()) ?? { x: -1, y: -1, width: 0 };
          assert.ok(x >= 0 && y >= 0 && x + seen <= 360, `a link of the order has the focus out of sight: ${x}, ${y}`);
        }
        await browser.addCookies([{ name: 'rubrica_console', value: operator, url: `${origin}/console` }]);
        await page.goto(`${origin}/console/merchants`);
        const { width = 0, height = 0 } = (await page.locator('.who a').boundingBox()) ?? {};
        assert.ok(width > 60, `a person without a search box has the link to their account on a phone: ${width}`);
        assert.ok(height >= 24, `the link to the account is high enough for a finger: ${height}`);
        await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
        await page.goto(`${origin}/console/payments`);
        await page.emulateMedia({ media: 'print' });
        assert.equal(await page.locator('.filters').isVisible(), false, 'the filters of a list are not printed');
        const heads = await page.evaluate('getComputedStyle(document.querySelector("thead")).position');
        assert.equal(heads, 'static', 'a printed list is a table, not the cards of a phone');
        // The server would wait for the open event stream.
        await page.close();
      });
    }

    test('shows each recovery code on one line, on the narrowest phone and on a desk', once, async (context) => {
      const { origin } = await openConsole(context, openTestDatabase);
      const { page } = await openVisitor({ viewport: { width: 320, height: 640 } });
      await page.goto(`${origin}/console/sign-in`);
      const codes = Array.from({ length: 10 }, () => 'wwww-wwww-wwww-wwww').join('\\n');
      const show = `{ const pre = document.createElement('pre'); pre.className = 'codes'; pre.textContent = '${codes}'; document.querySelector('main').replaceChildren(pre); }`;
      const lines =
        "{ const text = document.querySelector('.codes').firstChild; [...Array(10).keys()].flatMap((at) => { const range = document.createRange(); range.setStart(text, at * 20); range.setEnd(text, at * 20 + 19); return [...range.getClientRects()]; }).length; }";
      await page.evaluate(show);
      assert.equal(await page.evaluate(lines), 10);
      await page.setViewportSize({ width: 1280, height: 800 });
      assert.equal(await page.evaluate(lines), 10);
    });

    test('fits its window with a long name, e-mail address, reference and amount', once, async (context) => {
      const { origin, payLong } = await openConsole(context, openTestDatabase);
      const { context: browser, page } = await openVisitor({ locale: 'es-CL', viewport: { width: 320, height: 640 } });
      const { cookie, id, confirmation } = await payLong();
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      for (const path of ['/payments', '/movements', '/statements', `/payments/${id}`, confirmation]) {
        const answer = await page.goto(`${origin}/console${path}`);
        assert.equal(answer?.status(), 200, path);
        const wide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
        assert.ok(wide <= 0, `${path} is ${wide} px wider than the window`);
        const small = await page.evaluate(
          "[...document.querySelectorAll('.badges a')].filter((e) => e.offsetHeight < 24).map((e) => e.innerText)",
        );
        assert.deepEqual(small, [], path);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${origin}/console/accounts`);
      assert.deepEqual(await page.evaluate(HINTS_CUT_OFF), [], 'the e-mail address leaves room for the search box');
      assert.deepEqual(await page.evaluate(CUT_OFF), [], 'amounts of twelve digits fit a desk');
      // The server would wait for the open event stream.
      await page.close();
    });

    test('has keyboard shortcuts, keeps the chosen language, and shows new payments at once', async (context) => {
      const { origin, cookie, pay } = await openConsole(context, openTestDatabase);
      const { context: browser, page, complaints } = await openVisitor({ locale: 'es-CL' });
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      const listens = page.waitForResponse(/\/console\/live$/);
      await page.goto(`${origin}/console/payments`);
      await listens;
      await page.keyboard.press('?');
      const keys = page.getByRole('dialog', { name: 'Teclas' });
      await keys.getByRole('button').click();
      await keys.waitFor({ state: 'hidden' });
      await page.keyboard.press('j');
      await page.locator('tbody a:focus').waitFor();
      const first = await page.evaluate('document.activeElement.textContent');
      await pay('ORD-NEW');
      await page.getByText('ORD-NEW').waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), first, 'the focus stays');
      await page.getByRole('button', { name: 'English' }).click();
      await page.getByRole('heading', { name: 'Payments' }).waitFor();
      await page.goto(`${origin}/console/payments?state=cancelled`);
      await page.getByText('There is no such payment').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('ORD-7');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/console\/payments\/\d+$/);
      assert.deepEqual(complaints, []);
    });

    test('keeps a form open that a person has opened in a list, when a new payment comes', once, async (context) => {
      const { origin, cookie, pay } = await openConsole(context, openTestDatabase);
      const { context: browser, page } = await openVisitor({ locale: 'es-CL' });
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      await Promise.all([page.waitForResponse(/\/console\/live$/), page.goto(`${origin}/console/mails`)]);
      const form = page.locator('table[data-live] details').first();
      await form.locator('summary').click();
      const refreshed = page.waitForResponse(/\/console\/mails$/);
      await pay('ORD-NEW');
      await (await refreshed).finished();
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
      assert.equal(await form.getAttribute('open'), '', 'the form is still open');
      // The server would wait for the open event stream.
      await page.close();
    });

    test('sends a form once on a double click: a token that it made is shown', once, async (context) => {
      const { origin, cookie, paths } = await openConsole(context, openTestDatabase);
      const { context: browser, page } = await openVisitor({ locale: 'es-CL' });
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      await page.goto(`${origin}${paths.find((path) => path.endsWith('/token'))}`);
      await page.locator('main input[name=name]').fill('caja 7');
      const [made, clickedTwice] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route(/\/token$/, async (route) => {
        const response = await route.fetch({ maxRedirects: 0 });
        made.resolve();
        await clickedTwice.promise;
        // Without the script, the browser has given up this request for the second one.
        await route.fulfill({ response }).catch(() => {});
      });
      const { x, y } = (await page.locator('main form button').boundingBox()) as { x: number; y: number };
      await page.mouse.click(x + 5, y + 5);
      await made.promise;
      await page.mouse.click(x + 5, y + 5);
      clickedTwice.resolve();
      await page.getByRole('heading', { name: 'Token «caja 7»' }).waitFor();
    });

    test('stops live updates in a hidden tab, and is up to date again when the tab is shown', once, async (context) => {
      const { origin, cookie, pay } = await openConsole(context, openTestDatabase);
      const { context: browser, page } = await openVisitor({ locale: 'en-US' });
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      const listens = () => page.waitForResponse(/\/console\/live$/);
      const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/console/live'));
      const sleep = (hidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
           document.dispatchEvent(new Event('visibilitychange'))`,
        );
      await Promise.all([listens(), page.goto(`${origin}/console/payments`)]);
      await sleep(true);
      await ended;
      await pay('ORD-NEW');
      await Promise.all([listens(), sleep(false)]);
      await page.getByText('ORD-NEW').waitFor();
      // The server would wait for the open event stream.
      await page.close();
    });

    test('reports a violation of its content policy, with and without scripts', once, async (context) => {
      const { origin, cookie, paths } = await openConsole(context, openTestDatabase);
      for (const javaScriptEnabled of [true, false]) {
        const { context: browser, page, complaints } = await openVisitor({ javaScriptEnabled });
        await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
        const policy = assertReports(await page.goto(`${origin}${paths[0]}`), paths[0]);
        const headers = { 'content-security-policy': policy, 'content-type': 'text/html' };
        await page.route('**/wrong', (route) => route.fulfill({ headers, body: '<style>p { color: red }</style>' }));
        assert.deepEqual(complaints, []);
        await page.goto(`${origin}/wrong`);
        assert.ok(await comesTrue(() => complaints.length > 0), 'the browser reports what the policy refuses');
      }
    });

    test(
      'opens every section on a phone without scripts, by keyboard, and Escape closes them',
      once,
      async (context) => {
        const { origin, cookie } = await openConsole(context, openTestDatabase);
        const phone = { javaScriptEnabled: false, locale: 'es-CL', viewport: { width: 360, height: 740 } };
        const { context: browser, page } = await openVisitor(phone);
        await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
        await page.goto(`${origin}/console/restore`);
        const [menu, sections] = [page.getByRole('button', { name: 'Menú Salud' }), page.getByRole('navigation')];
        assert.equal(await sections.isVisible(), false);
        await menu.press('Enter');
        await sections.waitFor();
        assert.deepEqual(await page.evaluate(LINKS_CUT_OFF), []);
        assert.equal(await page.evaluate('document.querySelector("nav").scrollWidth > innerWidth'), false);
        await page.keyboard.press('Escape');
        await sections.waitFor({ state: 'hidden' });
        await menu.press('Enter');
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate('document.activeElement.textContent'), 'Hoy', 'the first section is next');
        await sections.getByRole('link', { name: 'Cartolas' }).click();
        await page.getByRole('button', { name: 'Menú Cartolas' }).waitFor();
        await page.setViewportSize({ width: 1280, height: 740 });
        assert.equal(await sections.isVisible(), true, 'a wide window shows the sections at once');
        assert.equal(await page.locator('.menu').isVisible(), false);
      },
    );

    test('works without scripts', once, async (context) => {
      const { origin, cookie } = await openConsole(context, openTestDatabase);
      const { context: browser, page } = await openVisitor({ javaScriptEnabled: false });
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      await page.goto(`${origin}/console/callbacks`);
      await page.getByRole('button', { name: 'Español' }).click();
      await page.getByRole('link', { name: 'Falla desde' }).click();
      assert.match(page.url(), /sort=since$/);
      await page.getByRole('link', { name: /^https:/ }).click();
      await page.getByRole('heading', { name: 'Lo que su receptor cambia' }).waitFor();
    });
  });
});

/** Asserts that the policy asks browsers for reports. Returns the policy. */
function assertReports(answer: Response | null, path = ''): string {
  const policy = answer?.headers()['content-security-policy'] ?? '';
  assert.match(policy, /report-uri/, path);
  return policy;
}

/** Opens a console with data on every screen. */
async function openConsole(context: TestContext, openTestDatabase: OpenTestDatabase) {
  const app = createConsoleApp(await openTestDatabase());
  const server = await startTestServer(app);
  context.after(() => server[Symbol.asyncDispose]());
  const { owner, environment, screens } = await fillConsole(app, server);
  const operator = await createTestUser(app, { role: 'operator', may: [] });
  const cookieOf = (user: TestUser) => user.console.cookie.replace('rubrica_console=', '');
  return {
    origin: server.origin,
    cookie: cookieOf(owner),
    operator: cookieOf(operator),
    paths: screens.map(({ path }) => path),
    // By a process that started after the restore: the ids that one from before has reserved are held.
    pay: (reference: string) => createPaidTransaction({ ...app }, environment, { reference }),
    payLong: async () => {
      const { development } = await createPaymentService(app, LONG_NAME, TESTER);
      const shop = await loadEnvironment(app, development.service_token);
      const order = {
        reference: `PEDIDO-${'0123456789'.repeat(5)}`,
        amount: 987_654_321_098,
        customerEmail: LONG_EMAIL,
      };
      const { id } = await createPaidTransaction({ ...app }, shop as ServiceEnvironment, order);
      const person = await createTestUser(app, { role: 'owner', may: [], email: LONG_EMAIL });
      const confirmation = `/payments/${id}/refund?${typedQuery({ app, user: person }, { amount: '1', reason: 'x' })}`;
      return { cookie: cookieOf(person), id, confirmation };
    },
  };
}
