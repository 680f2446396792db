import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { payUrl } from '../../src/checkout/pay-link.ts';
import type { RunningService } from '../../src/cli/run/serve-command.ts';
import { setMethodSettings } from '../../src/payment-services/method-settings.ts';
import { readStates } from '../checkout/checkout-case.ts';
import { TESTER } from '../support/test-actor.ts';
import { withBrowser } from '../support/test-browser.ts';
import { startTestService } from '../support/test-service.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { TEST_ACCOUNT } from '../support/webpay-case.ts';
import { startWebpayStandIn, type WebpayStandIn } from '../support/webpay-stand-in.ts';
import { type BrowserShop, startBrowserShop } from './browser-shop.ts';

withBrowser('paying by Webpay in a browser', (openVisitor) => {
  test('the payer is redirected to Transbank, pays there, and returns to the shop', async (context) => {
    const { url, shop, standIn } = await openOrder(context);
    const { page, complaints } = await openVisitor();
    const door = shop.keepOut();
    await page.goto(url);
    await choose(page, 'pay');
    await page.getByRole('status').filter({ hasText: 'Payment approved' }).waitFor();
    door.letIn();
    await page.waitForURL(/\/thanks$/);
    assert.match((await shop.got('POST /callback?order=1')).body, /x_result=completed/);
    assert.equal(standIn.charged(), 12_990);
    assert.deepEqual(complaints, []);
  });

  for (const scripts of [true, false]) {
    test(`a payer who aborts at Transbank can pay again, ${scripts ? 'with' : 'without'} scripts`, async (context) => {
      const { url, service, shop, standIn } = await openOrder(context);
      const { page, complaints } = await openVisitor({ javaScriptEnabled: scripts });
      shop.keepOut();
      const goOn = async () => {
        await page.getByRole('button', { name: /Webpay Plus/ }).click();
        if (!scripts) await page.getByRole('button', { name: 'Continue' }).click();
      };
      await page.goto(url);
      if (!scripts) await goOn();
      await choose(page, 'abort');
      await page.getByText('nothing was charged').waitFor();
      assert.equal(standIn.charged(), 0);
      await goOn();
      await choose(page, 'pay');
      await page.getByText('Payment approved').waitFor();
      assert.equal(standIn.charged(), 12_990);
      assert.equal((await readStates(service.app)).transaction, 'completed');
      assert.deepEqual(complaints, []);
    });
  }

  test('a payer who leaves Transbank by the Back button is not redirected there again', async (context) => {
    const { url } = await openOrder(context);
    const { page } = await openVisitor();
    await page.goto(url);
    await page.getByRole('button', { name: 'abort' }).waitFor();
    await page.goto(url);
    await page.getByRole('button', { name: 'I did not finish paying' }).click();
    await page.getByText('nothing was charged').waitFor();
    await page.getByRole('button', { name: /Webpay Plus/ }).waitFor();
  });
});

/** Opens the whole service with a stand-in of Transbank, and an order that waits for payment. */
async function openOrder(
  context: TestContext,
): Promise<{ service: RunningService; shop: BrowserShop; standIn: WebpayStandIn; url: string }> {
  const standIn = await startWebpayStandIn();
  context.after(() => standIn[Symbol.asyncDispose]());
  const service = await startTestService(context, 'sqlite::memory:', { WEBPAY_BASE_URL: standIn.url });
  const shop = await startBrowserShop(context);
  const development = await createTestEnvironment(service.app);
  const { paymentServiceId } = development;
  await setMethodSettings(
    service.app,
    { paymentServiceId, environment: 'development', method: 'webpay' },
    TEST_ACCOUNT,
    TESTER,
  );
  const transaction = await createTestTransaction(service.app, development, {
    urlCallback: `${shop.url}/callback?order=1`,
    urlCancel: `${shop.url}/cancel?order=1`,
    urlComplete: `${shop.url}/complete?order=1`,
  });
  return { service, shop, standIn, url: `${payUrl(service.app, transaction)}?method=webpay` };
}

async function choose(page: Page, choice: 'pay' | 'abort'): Promise<void> {
  await page.getByRole('button', { name: choice, exact: true }).click();
}
