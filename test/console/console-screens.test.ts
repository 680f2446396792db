import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BrowserContextOptions, Response } from 'playwright-core';
import { drawDemoLogo } from '../../src/cli/demo-logo.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import type { LinkWish } from '../../src/payment-links/payment-link.ts';
import { type LookChanges, setLook } from '../../src/payment-services/set-look.ts';
import { makePayoutFiles } from '../../src/payouts/make-payout-files.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { violationsOn } from '../support/axe.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { withBrowser } from '../support/test-browser.ts';
import { approved, openPayoutDesk, propose } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const LOOKS: [about: string, options: BrowserContextOptions][] = [
  ['Spanish, light, a desk', { locale: 'es-CL', colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  ['English, dark, a phone', { locale: 'en-US', colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
];

withBrowser('the console in a browser', (openVisitor) => {
  forEachEngine('every screen', (openTestDatabase, engine) => {
    // What the pages look like does not depend on the engine.
    const once = { skip: engine === 'postgres' };

    test('has nothing that axe finds, nothing that its policy refuses, and fits its window', once, async (context) => {
      const { origin, cookie, paths } = await openConsole(context, openTestDatabase);
      for (const [about, options] of LOOKS) {
        const { context: browser, page, complaints } = await openVisitor(options);
        await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
        for (const path of paths) {
          const answer = await page.goto(origin + path);
          assert.equal(answer?.status(), 200, `${path}, ${about}`);
          assertReports(answer, path);
          const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth + 1');
          assert.equal(wide, false, `${path} is wider than ${about}`);
          assert.deepEqual(await violationsOn(page), [], `${path}, ${about}`);
        }
        assert.deepEqual(complaints, [], about);
      }
    });

    test('has its keys, keeps the language that was chosen, and shows what happens while somebody looks', async (context) => {
      const { origin, cookie, pay } = await openConsole(context, openTestDatabase);
      const { context: browser, page, complaints } = await openVisitor({ locale: 'es-CL' });
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      const listens = page.waitForResponse(/\/console\/live$/);
      await page.goto(`${origin}/console/payments`);
      await listens;
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Teclas' }).getByRole('button').click();
      await page.keyboard.press('j');
      const first = await page.evaluate('document.activeElement.textContent');
      await pay('ORD-NEW');
      await page.getByText('ORD-NEW').waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), first, 'the keyboard stays where it was');
      await page.getByRole('button', { name: 'English' }).click();
      await page.getByRole('heading', { name: 'Payments' }).waitFor();
      await page.goto(`${origin}/console/payments?state=pending`);
      await page.getByText('There is no such payment').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('ORD-7');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/console\/payments\/\d+$/);
      assert.deepEqual(complaints, []);
    });

    test('breaks no policy that its browser would report without a script', once, async (context) => {
      const { origin, cookie, paths } = await openConsole(context, openTestDatabase);
      const { context: browser, page, complaints } = await openVisitor({ javaScriptEnabled: false });
      await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
      for (const path of paths) assertReports(await page.goto(origin + path), path);
      assert.deepEqual(complaints, []);
    });

    test('breaks its policy, and that is noticed, with and without a script', once, async (context) => {
      const { origin, cookie, paths } = await openConsole(context, openTestDatabase);
      for (const javaScriptEnabled of [true, false]) {
        const { context: browser, page, complaints } = await openVisitor({ javaScriptEnabled });
        await browser.addCookies([{ name: 'rubrica_console', value: cookie, url: `${origin}/console` }]);
        const policy = assertReports(await page.goto(`${origin}${paths[0]}`), paths[0]);
        const headers = { 'content-security-policy': policy, 'content-type': 'text/html' };
        await page.route('**/wrong', (route) => route.fulfill({ headers, body: '<style>p { color: red }</style>' }));
        assert.deepEqual(complaints, []);
        await page.goto(`${origin}/wrong`);
        assert.ok(await comesTrue(() => complaints.length > 0), 'what its policy refuses is noticed');
      }
    });

    test('says the same without a script', once, async (context) => {
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

const LINK: LinkWish = {
  amount: 12_990,
  currency: 'CLP',
  subject: 'Inscripción 2026',
  uses: 'many',
  expiresAt: null,
  urlCallback: null,
};
const LOOK: LookChanges = {
  colour: '#1f6f4a',
  site: 'https://casaverde.example.cl/',
  logo: { image: { type: 'image/png', width: 88, height: 88 }, bytes: drawDemoLogo() },
};

/** That a browser tells of what its policy refuses. Answers the policy. */
function assertReports(answer: Response | null, path = ''): string {
  const policy = answer?.headers()['content-security-policy'] ?? '';
  assert.match(policy, /report-uri/, path);
  return policy;
}

/** A service with a payment, and a shop that does not take its callback. */
async function openConsole(context: TestContext, openTestDatabase: OpenTestDatabase) {
  const db = await openTestDatabase();
  const app = createTestApp(db, {
    fetch: async () => ({ kind: 'answered', status: 404, retryAfter: null, excerpt: 'no such page', durationMs: 1 }),
  });
  const environment = await createTestEnvironment(app);
  const payment = await createPaidTransaction(app, environment, { reference: 'ORD-7' });
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
  const server = await startTestServer(app);
  context.after(() => server[Symbol.asyncDispose]());
  const owner = await createTestUser(app, { role: 'owner', may: [] });
  const desk = await openPayoutDesk(app);
  const [filed] = await approved(app, desk);
  const payer = { account: '1', rut: '', name: '', agreement: '' };
  const batchId = filed?.batch_id ?? '';
  const [made] = await makePayoutFiles(app, {
    owner: desk.environment,
    by: desk.maker,
    format: 'santander',
    payer,
    batchId,
  });
  const [payout] = await propose(app, desk);
  await createPaymentLink(app, environment.id, LINK, TESTER);
  await setLook(app, environment.paymentServiceId, LOOK, TESTER);
  const other = await createTestUser(app, { role: 'support', may: [] });
  const ids: Record<string, string> = {
    '/console/payouts/:id': payout?.id ?? '',
    '/console/payouts/:id/approve': payout?.id ?? '',
    '/console/recipients/:id': payout?.recipient_id ?? '',
    '/console/payout-files/:id': made?.file.id ?? '',
    '/console/batches/:id': payout?.batch_id ?? '',
    '/console/batches/:id/approve': payout?.batch_id ?? '',
    '/console/payments/:id': String(payment.id),
    '/console/callbacks/:id': '1',
    '/console/merchants/:id': environment.paymentServiceId,
    '/console/merchants/:id/links': environment.paymentServiceId,
    '/console/merchants/:id/look': environment.paymentServiceId,
    '/console/merchants/:id/look/preview': environment.paymentServiceId,
    '/console/staff/:id': other.id,
    '/console/staff/:id/rights': other.id,
    '/console/staff/:id/token': other.id,
  };
  const paths = ROUTES.filter(({ method, access }) => method === 'GET' && access === 'session').flatMap(
    ({ paths: [path] }) => {
      const known = Object.keys(ids).find((prefix) => path === prefix);
      if (known !== undefined) return [known.replace(':id', ids[known] as string)];
      return path.includes(':') || path === '/console/live' ? [] : [path];
    },
  );
  return {
    origin: server.origin,
    cookie: owner.console.cookie.replace('rubrica_console=', ''),
    paths: [...paths, `/console/staff/${other.id}/confirm?act=disable`],
    pay: (reference: string) => createPaidTransaction(app, environment, { reference }),
  };
}
