import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { verifyCallback } from '../../protocol/verify-callback.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { payUrl } from '../../src/checkout/pay-link.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import type { RunningService } from '../../src/cli/run/serve-command.ts';
import type { PaymentMethod, PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import type { TransactionInput } from '../../src/transactions/transaction.ts';
import { approved, declined, readStates, scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { withBrowser } from '../support/test-browser.ts';
import { startTestService } from '../support/test-service.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { type BrowserShop, startBrowserShop } from './browser-shop.ts';

// A separate file, because it is a script of the page, with other globals.
const FIND_OBSTACLES = readFileSync(new URL('find-obstacles.js', import.meta.url), 'utf8');

withBrowser('paying in a browser', (openVisitor) => {
  forEachEngine('the pay page', (openTestDatabase) => {
    test('completes a payment and posts the signed fields to a shop, which redirects to another address', async (context) => {
      const { shop, url, environment } = await openOrder(context, { databaseUrl: (await openTestDatabase()).url });
      const { page, complaints } = await openVisitor();
      const door = shop.keepOut();
      await page.goto(url);
      await payButton(page).click();
      await page.getByRole('status').filter({ hasText: 'Payment approved' }).waitFor();
      door.letIn();
      await page.waitForURL(/\/thanks$/);
      assert.notEqual(new URL(page.url()).origin, shop.url);

      const [complete, callback] = [await shop.got('POST /complete?order=1'), await shop.got('POST /callback?order=1')];
      assert.equal(complete.body, callback.body);
      assert.equal(complete.contentType, 'application/x-www-form-urlencoded');
      assertGenuine(complete.body, environment, 'completed');
      assert.deepEqual(complaints, []);
    });

    test('charges once if two tabs pay concurrently', async (context) => {
      const { service, shop, url } = await openOrder(context, { databaseUrl: (await openTestDatabase()).url });
      const { context: browser, page, complaints } = await openVisitor({ javaScriptEnabled: false });
      const tabs = [page, await browser.newPage()];
      for (const tab of tabs) await tab.goto(url);
      await Promise.all(tabs.map((tab) => payButton(tab).click()));
      for (const tab of tabs) await tab.getByText('Payment approved').waitFor();
      await shop.got('POST /callback?order=1');
      assert.deepEqual(await readStates(service.app), {
        transaction: 'completed',
        attempts: ['approved'],
        events: ['created', 'completed'],
        callbacks: 1,
      });
      assert.deepEqual(complaints, []);
    });
  });

  test('without scripts every step has a button or reloads itself', async (context) => {
    let outcome: PaymentOutcome = { kind: 'pending' };
    const method = scriptMethod({ start: async () => outcome, lookup: async () => outcome });
    const { shop, url, environment } = await openOrder(context, { method });
    const { page, complaints } = await openVisitor({ javaScriptEnabled: false });
    await page.goto(url);
    await page.getByRole('button', { name: 'Scripted' }).click();
    await page.getByText('We are confirming your payment').waitFor();
    outcome = declined;
    await page.getByText('Your bank declined the payment').waitFor();
    await page.getByRole('link', { name: 'Cancel the payment' }).click();
    await page.getByRole('button', { name: 'Yes, cancel' }).click();
    await page.getByText('Payment declined').waitFor();
    await page.getByRole('button', { name: 'Return to the shop' }).click();
    await page.waitForURL(/\/thanks$/);
    assertGenuine((await shop.got('POST /complete?order=1')).body, environment, 'failed');
    assert.deepEqual(complaints, []);
  });

  test('every step works with the keyboard, and the focus is visible', async (context) => {
    const { shop, url } = await openOrder(context);
    const { page } = await openVisitor({ javaScriptEnabled: false });
    await page.goto(url);
    await page.keyboard.press('Tab');
    assert.match(await focused(page), /^Simulator\s+A test card\s+Pay/);
    await page.keyboard.press('Tab');
    assert.match(await focused(page), /^Simulated transfer\s+From a test bank\s+Pay/);
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Cancel the payment');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Payment approved').waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Return to the shop');
    await page.keyboard.press('Space');
    await page.waitForURL(/\/thanks$/);
    await shop.got('POST /complete?order=1');
  });

  test('cancelling asks for confirmation and returns to the shop by a GET with its query', async (context) => {
    const { service, shop, url } = await openOrder(context);
    const { page, complaints } = await openVisitor({ locale: 'es-CL' });
    await page.goto(url);
    await page.getByRole('link', { name: 'Anular el pago' }).click();
    await page.getByRole('link', { name: 'No, seguir pagando' }).click();
    await page.getByRole('link', { name: 'Anular el pago' }).click();
    await page.getByRole('button', { name: 'Sí, anular' }).click();
    await page.waitForURL(`${shop.url}/cancel?order=1&q=%C3%B1`);
    await shop.got('GET /cancel?order=1&q=%C3%B1');
    await shop.got('POST /callback?order=1');
    assert.equal((await readStates(service.app)).transaction, 'cancelled');
    assert.deepEqual(complaints, []);
  });

  test('after the Back button the payer is not redirected again', async (context) => {
    const { shop, url } = await openOrder(context);
    const { page } = await openVisitor();
    await page.goto(url);
    await payButton(page).click();
    await page.locator('.leaving').waitFor();
    await page.getByRole('button', { name: 'Return to the shop' }).click();
    await page.waitForURL(/\/thanks$/);
    await page.goBack();
    await page.getByText('Payment approved').waitFor();
    assert.equal(await page.locator('.leaving').isVisible(), false);
    assert.match(page.url(), /\/pay\//);
    assert.equal(shop.visits.filter(({ key }) => key.startsWith('POST /complete')).length, 1);
  });

  test('the payer can stop the redirect, and then the return button has the focus', async (context) => {
    const { url } = await openOrder(context);
    const { page, complaints } = await openVisitor();
    await page.goto(url);
    await payButton(page).click();
    assert.match(await page.locator('.leaving').innerText(), /^You return to Test shop in [1-9] s\.\s+Stay here$/);
    await page.getByRole('button', { name: 'Stay here' }).click();
    assert.equal(await page.locator('.leaving').isVisible(), false);
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Return to the shop');
    assert.deepEqual(complaints, []);
  });

  test('the payer can stop the redirect as long as the shop has not answered', async (context) => {
    const { shop, url } = await openOrder(context);
    const { page } = await openVisitor();
    const door = shop.keepOut();
    await page.goto(url);
    await payButton(page).click();
    const place = (await page.getByRole('button', { name: 'Stay here' }).boundingBox()) as { x: number; y: number };
    await shop.got('POST /complete?order=1');
    const stopped = page.waitForEvent('requestfailed');
    // `click` of a locator would wait for the shop.
    await page.mouse.click(place.x + 5, place.y + 5);
    assert.equal((await stopped).url(), `${shop.url}/complete?order=1`);
    door.letIn();
    await page.locator('.leaving').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Return to the shop' }).click();
    await page.waitForURL(/\/thanks$/);
    const posts = shop.visits.filter(({ key }) => key.startsWith('POST /complete'));
    assert.equal(posts.length, 2, 'the page sends nothing else by itself');
  });

  test('typing an address for the receipt stops the redirect, and no later request of the page', async (context) => {
    const { url } = await openOrder(context, { settings: { SMTP_URL: 'smtp://127.0.0.1:9' } });
    const { page } = await openVisitor();
    await page.goto(url);
    await payButton(page).click();
    await page.evaluate('globalThis.stops = 0; window.stop = () => { stops += 1 }');
    await page.locator('#email').fill('ana@example.cl');
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Send receipt');
    assert.equal(await page.evaluate('stops'), 1);
    await page.keyboard.press('Enter');
    await page.getByText('Done: the receipt is on its way').waitFor();
  });

  test('a payment method can receive and return the payer by form posts', async (context) => {
    const bank = createServer((request, response) => {
      const back = new URL(request.url ?? '', 'http://bank').searchParams.get('back');
      response.setHeader('content-type', 'text/html');
      response.end(
        `<!doctype html><title>Bank</title><form method="post" action="${back}"><button>Authorise</button></form>`,
      );
    }).listen(0, '127.0.0.1');
    await once(bank, 'listening');
    context.after(() => bank.close());
    const { port } = bank.address() as AddressInfo;
    const method = scriptMethod({
      start: async ({ returnUrl }) => {
        const url = `http://127.0.0.1:${port}/form?back=${encodeURIComponent(returnUrl)}`;
        return { kind: 'redirect', externalId: 'bank-1', url, fields: { token: 'abc' } };
      },
      lookup: async ({ externalId }) => (externalId === 'bank-1' ? approved : { kind: 'unknown' }),
    });
    const { shop, url } = await openOrder(context, { method });
    const { page, complaints } = await openVisitor();
    const door = shop.keepOut();
    await page.goto(`${url}?method=scripted`);
    await page.getByRole('button', { name: 'Scripted' }).click();
    await page.getByRole('button', { name: 'Authorise' }).click();
    await page.getByText('Payment approved').waitFor();
    door.letIn();
    await page.waitForURL(/\/thanks$/);
    await shop.got('POST /complete?order=1');
    assert.deepEqual(complaints, []);
  });

  test('planted accessibility obstacles are found', async () => {
    const { page } = await openVisitor();
    await page.setContent(
      '<h2>No title</h2><p style="width:2000px;color:#999">Pale and wide</p><button>x</button><img>',
    );
    const found = await findObstacles(page);
    for (const obstacle of [/must be scrolled/, /exactly one h1/, /lang is/, /x is \d/, /no alt/, /contrast of 2/]) {
      assert.ok(
        found.some((line) => obstacle.test(line)),
        `${obstacle} is not among: ${found.join('; ')}`,
      );
    }
  });

  for (const locale of ['es-CL', 'en-US']) {
    test(`every state is readable and touchable at 320 px, in light and dark mode: ${locale}`, async (context) => {
      const pending = async () => ({ kind: 'pending' }) as const;
      const method = scriptMethod({ start: pending, lookup: pending });
      const { service, shop, environment, url } = await openOrder(context, { method });
      // Scripts are off, so that no page redirects during the check. Reduced motion, because a fading background has
      // another contrast.
      const look = {
        locale,
        javaScriptEnabled: false,
        viewport: { width: 320, height: 640 },
        reducedMotion: 'reduce',
      } as const;
      const { page } = await openVisitor(look);
      const assertNoObstacles = async (state: string) => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await findObstacles(page), [], `${state}, ${colorScheme}`);
        }
      };
      for (const address of [url, `${url}/cancel`, `${url}x`, `${service.url}/errors/NOT_PAYABLE`]) {
        await page.goto(address);
        await assertNoObstacles(address);
      }
      for (const [state, amount, icon, chosen] of [
        ['approved', 5000, '.good', 'simulated'],
        ['declined', 5001, '.declined', 'simulated'],
        ['in-progress', 5000, '.waiting', 'scripted'],
        ['long-amount', 123_456_789_012, '.good', 'simulated'],
      ] as const) {
        const order = { ...orderOf(shop.url), amount, reference: `${state}-${'0123456789'.repeat(6)}` };
        const transaction = await createTestTransaction(service.app, environment, order);
        await page.goto(`${payUrl(service.app, transaction)}?method=${chosen}`);
        await assertNoObstacles(`${state}, before it is paid`);
        await page.getByRole('button').first().click();
        await page.locator(icon).waitFor();
        await assertNoObstacles(state);
        if (state !== 'declined') continue;
        await cancelTransaction(service.app, transaction);
        await page.reload();
        await page.locator('.bad').waitFor();
        await assertNoObstacles('given up');
        const attempt = await selectLatestAttempt(service.app.db, transaction);
        await settlePayment(service.app, attempt as PaymentAttempt, approved);
        await page.reload();
        await page.locator('.waiting').waitFor();
        await assertNoObstacles('under review');
      }
    });
  }
});

/** Returns the obstacles on a page. A waiting page reloads itself, perhaps during the check. */
async function findObstacles(page: Page): Promise<string[]> {
  for (;;) {
    try {
      return (await page.evaluate(FIND_OBSTACLES)) as string[];
    } catch (error) {
      if (!/because of a navigation/.test((error as Error).message)) throw error;
    }
  }
}

type Order = { service: RunningService; shop: BrowserShop; environment: ServiceEnvironment; url: string };

/** Opens the whole service, a shop, and one order that waits for payment. */
async function openOrder(
  context: TestContext,
  options: { databaseUrl?: string; method?: PaymentMethod; settings?: Record<string, string> } = {},
): Promise<Order> {
  const { databaseUrl = 'sqlite::memory:', method, settings } = options;
  const service = await startTestService(context, databaseUrl, settings);
  if (method !== undefined) (service.app.paymentMethods as PaymentMethod[]).push(method);
  const shop = await startBrowserShop(context);
  const environment = await createTestEnvironment(service.app);
  const transaction = await createTestTransaction(service.app, environment, orderOf(shop.url));
  return { service, shop, environment, url: payUrl(service.app, transaction) };
}

function orderOf(shopUrl: string): Partial<TransactionInput> {
  return {
    urlCallback: `${shopUrl}/callback?order=1`,
    urlCancel: `${shopUrl}/cancel?order=1&q=%C3%B1`,
    urlComplete: `${shopUrl}/complete?order=1`,
  };
}

function payButton(page: Page): Locator {
  return page.getByRole('button', { name: /^Simulator/ });
}

/** Returns the text of the focused element, which must be visible. */
async function focused(page: Page): Promise<string> {
  const element = page.locator(':focus-visible');
  const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
  assert.equal(outline, 'solid');
  return (await element.innerText()).trim();
}

function assertGenuine(body: string, environment: ServiceEnvironment, result: string): void {
  const secret = environment.secrets[0]?.text as string;
  const expected = { account: environment.serviceToken, reference: 'ORD-1', currency: 'CLP', test: true };
  const verified = verifyCallback({ body, secret, expected });
  assert.ok(verified.ok);
  assert.equal(verified.data.x_result, result);
  assert.equal(new URLSearchParams(body).size, 10);
}
