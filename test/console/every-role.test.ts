import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { mayAny, permissionsOf, ROLES, type Role, rightsOf } from '../../src/auth/permission.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { createConsoleApp, fillConsole } from '../support/full-console.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

/** Links to files, which other tests read, and to pages outside the console. */
const NOT_FOLLOWED = /[?&]format=|\/statement\.csv|\/content$|\/account\/factors/;

forEachEngine('what a role sees at the console', (openTestDatabase, engine) => {
  // The pages are the same on both engines.
  const once = { skip: engine === 'postgres' };

  const open = async (context: TestContext) => {
    const app = createConsoleApp(await openTestDatabase());
    const server = await startTestServer(app);
    context.after(() => server[Symbol.asyncDispose]());
    return { app, server, ...(await fillConsole(app, server)) };
  };

  test('has no link and no form that it may not use', once, async (context) => {
    const { server, app, environment, screens } = await open(context);
    const wrong: string[] = [];
    for (const role of Object.keys(ROLES) as Role[]) {
      const paymentServices = role === 'merchant' ? [environment.paymentServiceId] : 'all';
      const user = await createTestUser(app, { role, may: [], paymentServices });
      const seesAll = paymentServices === 'all' && rightsOf(role).environments === 'both';
      const answers = new Map<string, number>();
      const ask = async (path: string) => {
        const { status, text } = await server.get(path, user.console);
        answers.set(path, status);
        return { status, text };
      };
      assert.ok([200, 303].includes((await ask('/console')).status), `the first page of ${role} is not a refusal`);
      for (const { path } of screens) {
        const { status, text } = await ask(path);
        if (status !== 200) continue;
        if (role === 'approver' && /\/(statements|settlements)\/s\w+$/.test(path))
          assert.match(text, /Lo termina quien puede registrar/, `${path} says who ends what is open`);
        for (const link of linksOf(text, path)) {
          const answered = answers.get(link) ?? (await ask(link)).status;
          if (![200, 303].includes(answered)) wrong.push(`${role} at ${path}: ${link} answers ${answered}`);
        }
        const forms = formsOf(text).filter((form) => !mayUse(role, seesAll, form));
        wrong.push(...forms.map((form) => `${role} at ${path}: a form to ${form.method} ${form.path}`));
      }
    }
    assert.deepEqual(wrong, []);
  });

  test('includes a failing endpoint of its own on the first page, with time, cause and fix', async (context) => {
    const { server, app, environment } = await open(context);
    const other = await createTestEnvironment(app);
    const page = async (paymentServiceId: string, role: Role = 'merchant') => {
      const user = await createTestUser(app, { role, may: [], paymentServices: [paymentServiceId] });
      return (await server.get('/console', { ...user.console, 'accept-language': 'en' })).text;
    };
    const own = await page(environment.paymentServiceId);
    assert.match(own, /Your shop is not told of payments/);
    assert.match(own, /shop\.example\.cl\/callback<\/span> · Fails since 2026-01-15 09:00 -03:00\. 2 wait/);
    assert.match(own, /404[^<]*<\/strong> [A-Z]/, 'the page has the cause and the fix');
    assert.ok(own.includes(`/console/merchants/${environment.paymentServiceId}#development"`));
    const support = await page(environment.paymentServiceId, 'support');
    assert.match(support, /not told of payments/);
    assert.doesNotMatch(support, /console\/merchants/, 'the page has no link that support may not open');
    assert.doesNotMatch(await page(other.paymentServiceId), /not told of payments/);
  });

  test('includes the acts of one person on one day, from the page of the person', async (context) => {
    const { server, app } = await open(context);
    const other = await createTestUser(app, { role: 'owner', may: [] });
    const by = userActor({ ...other, role: 'owner' }, '192.0.2.1');
    for (const name of ['Norte', 'Sur']) {
      await createPaymentService(app, name, by);
      app.now.advance(86_400_000);
    }
    // A new user, because the earlier sessions have ended.
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const acts = async (query: string) => {
      const { text } = await server.get(`/console/audit?format=csv&${query}`, owner.console);
      return text.trim().split('\r\n').length - 1;
    };
    const person = await server.get(`/console/staff/${other.id}`, owner.console);
    assert.ok(person.text.includes(`/console/audit?who=${other.id}"`));
    assert.equal(await acts(`who=${other.id}`), 2);
    assert.equal(await acts(`who=${other.id}&since=2026-01-16&until=2026-01-16`), 1);
    assert.equal(await acts(`who=${other.id}&until=2026-01-14`), 0);
  });
});

type Form = { method: string; path: string };

function mayUse(role: Role, seesAll: boolean, form: Form): boolean {
  const route = ROUTES.find(({ method, paths: [known] }) => method === form.method && fits(known, form.path));
  if (route === undefined || (route.whole === true && !seesAll)) return false;
  return route.needed === undefined || mayAny(permissionsOf(role, []), route.needed);
}

/** Returns the screens of the console that the links of a page lead to. */
function linksOf(page: string, path: string): Set<string> {
  const links = [...page.matchAll(/<a\b[^>]*? href="([^"]*)"/g)].map(([, href = '']) => {
    const { pathname, search } = new URL(href.replaceAll('&amp;', '&'), `http://console.example${path}`);
    return `${pathname}${search}`;
  });
  // Another order of the same rows is the same screen.
  return new Set(
    links.filter((link) => /^\/console\b/.test(link) && !/[?&]sort=/.test(link) && !NOT_FOLLOWED.test(link)),
  );
}

function formsOf(page: string): Form[] {
  return [...page.matchAll(/<form\b([^>]*)>/g)].flatMap(([, words = '']) => {
    const action = / action="([^"]*)"/.exec(words)?.[1]?.replaceAll('&amp;', '&').split('?')[0];
    return action === undefined ? [] : [{ method: words.includes('method="post"') ? 'POST' : 'GET', path: action }];
  });
}

/** Whether an address fits a path of the table of endpoints. */
function fits(path: string, address: string): boolean {
  const [known, given] = [path.split('/'), address.split('/')];
  return known.length === given.length && known.every((part, at) => part.startsWith(':') || part === given[at]);
}
