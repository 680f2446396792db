import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { listAttention } from '../../src/attention/list-attention.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { readConfig } from '../../src/config.ts';
import { examineStore } from '../../src/health/examine-store.ts';
import { type Finding, sayFinding } from '../../src/health/finding.ts';
import { forgetProcess, keepProcess } from '../../src/health/keep-process.ts';
import { ownFindings } from '../../src/health/process-findings.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { beginFacts } from '../../src/proof/begin-facts.ts';
import { noteBackup, noteUpkeep } from '../../src/upkeep/note-upkeep.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

forEachEngine('health', (openTestDatabase, engine) => {
  test('a killed process is a problem, and a stopped one is no longer listed', async () => {
    const db = await openTestDatabase();
    const one = createTestApp(db);
    const other = createTestApp(db, { now: one.now });
    await keepProcess(one);
    await keepProcess(other);
    assert.deepEqual(await fixesOf(one, 'process'), [null, null]);
    one.now.advance(5 * MINUTE);
    await keepProcess(one);
    assert.equal((await fixesOf(one, 'process')).filter((fix) => fix !== null).length, 1);
    await forgetProcess(one);
    assert.equal((await fixesOf(one, 'process')).length, 1);
    one.now.advance(61 * MINUTE);
    await keepProcess(one);
    assert.deepEqual(await fixesOf(one, 'process'), [null], 'a killed process is no longer reported after an hour');
  });

  test('a process whose machine is gone is off the list when a person says so, with the command that doctor names', async (context) => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.now() - 5 * MINUTE) });
    const { env } = commandStore(context, db);
    await keepProcess(app);
    app.now.advance(5 * MINUTE);
    const [, command = ''] = /When it has ended: bin\/rubrica (.*)$/.exec(sayFix(await fixesOf(app, 'process'))) ?? [];
    const words = command.split(' ');
    assert.deepEqual(words.slice(0, 2), ['process-ended', hostname()]);
    const ended = await runCommand(words, { env });
    assert.deepEqual([ended.status, ended.stderr], [0, '']);
    assert.deepEqual(await fixesOf(app, 'process'), [null]);
    const again = await runCommand(words, { env });
    assert.equal(again.status, 1);
    assert.match(again.stderr, /^NOT_FOUND: No process .* is listed: bin\/rubrica doctor/);
  });

  test('a service that answers on a port is ours if a process here says that port', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const there = createServer((_, response) => void response.writeHead(200, { 'rubrica-version': '1' }).end());
    there.listen(0, '127.0.0.1');
    context.after(() => there.close());
    await once(there, 'listening');
    const PORT = String((there.address() as AddressInfo).port);
    const listeningAt = (port: string) =>
      createTestApp(db, {
        now: createTestClock(Date.now()),
        config: readConfig({ MASTER_KEY: env.MASTER_KEY, PORT: port }),
      });
    await keepProcess(listeningAt('1'));
    const doctor = async () => (await runCommand(['doctor'], { env: { ...env, PORT } })).stdout;
    assert.match(await doctor(), /the service of another store runs on 127\.0\.0\.1:/);
    await keepProcess(listeningAt(PORT));
    assert.match(await doctor(), /OK {7}port +the service runs on 127\.0\.0\.1:/);
  });

  test('every process says which master key is in use, and until when it needs the previous one', async () => {
    const db = await openTestDatabase();
    const [next, last] = [{ MASTER_KEY: '0b'.repeat(32) }, { MASTER_KEY_PREVIOUS: '0a'.repeat(32) }];
    const said = async (settings: Record<string, string>) => {
      const findings = await ownFindings(createTestApp(db, { config: readConfig(settings) }));
      const found = findings.find(({ check }) => check === 'master-key');
      return found === undefined ? '' : sayFinding(found, 'en').says;
    };
    assert.match(await said(next), /^[\w-]+ is in use$/);
    assert.match(
      await said({ ...next, ...last }),
      /^[\w-]+ is in use; [\w-]+ is the previous one, needed until bin\/rubrica master-key rotate has ended$/,
    );
  });

  test('every process reports the problems that another found in itself', async () => {
    const db = await openTestDatabase();
    const one = createTestApp(db);
    const production = { ...one.config, mode: 'production' as const };
    await keepProcess(createTestApp(db, { config: production, now: one.now }));
    const said = (await examineStore(one)).map((finding) => sayFinding(finding, 'en'));
    const found = said.find(({ check }) => check === 'public-url');
    assert.match(found?.says ?? '', /pid \d+: PUBLIC_URL is not set/);
    assert.match(found?.fix ?? '', /Set PUBLIC_URL/);
  });

  test('the problems that a killed process had found in itself are no longer reported', async () => {
    const db = await openTestDatabase();
    const one = createTestApp(db);
    const production = { ...one.config, mode: 'production' as const };
    await keepProcess(createTestApp(db, { config: production, now: one.now }));
    one.now.advance(5 * MINUTE);
    assert.deepEqual(await fixesOf(one, 'public-url'), []);
    assert.deepEqual(
      (await fixesOf(one, 'process')).map((fix) => fix !== null),
      [true],
    );
  });

  test('an advanced clock of a development installation does not differ from that of the database server', async () => {
    const db = await openTestDatabase();
    const [now, ahead] = [Date.now() + 2 * DAY, 2 * DAY];
    const problems = async (clock: Parameters<typeof createTestApp>[1]) =>
      (await ownFindings(createTestApp(db, clock))).flatMap((finding) =>
        finding.check === 'database' ? [sayFinding(finding, 'en').fix] : [],
      );
    const advanced = Object.assign(createTestClock(now), { ahead: () => ahead });
    assert.deepEqual(await problems({ now: advanced }), [null]);
    const [wrong] = await problems({ now: createTestClock(now) });
    if (engine === 'postgres') assert.match(wrong ?? '', /Run NTP on both machines/);
  });

  test('a process on SQLite finds that its machine has another time; a database server corrects the clock itself', async () => {
    const db = await openTestDatabase();
    const foundOf = async (behindMs: number) => {
      const app = createTestApp(db, { now: Object.assign(createTestClock(), { behind: () => behindMs }) });
      await keepProcess(app);
      const found = (await examineStore(app)).map((finding) => sayFinding(finding, 'en'));
      await forgetProcess(app);
      return found.flatMap(({ says, fix }) => (/this machine's, which/.test(says) ? [`${says}. ${fix}`] : []));
    };
    assert.deepEqual(await foundOf(3_000), []);
    if (engine === 'postgres') return assert.deepEqual(await foundOf(7_200_000), []);
    assert.match(
      (await foundOf(7_200_000)).join(),
      /pid \d+: the service's clock is 7200 s behind .*\. Restart the service/,
    );
    assert.match((await foundOf(-60_000)).join(), /the service's clock is 60 s ahead of /);
  });

  test('a Secret Token that was tampered with is told apart from a wrong master key', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    const found = async (one: App) => (await examineStore(one)).find(({ check }) => check === 'master-key');
    assert.equal((await found(app))?.fix, null);
    const sql = "update secret_tokens set sealed = substr(sealed, 1, length(sealed) - 22) || 'AAAAAAAAAAAAAAAAAAAAAA'";
    await db.transaction((tx) => tx.query(sql));
    const { says, fix } = sayFinding((await found(createTestApp(db, { now: app.now }))) as Finding, 'en');
    assert.match(says, new RegExp(`cannot decrypt any Secret Token of ${id} `));
    assert.match(fix ?? '', /payment-service rotate/);
    const other = createTestApp(db, { config: { ...app.config, masterKey: Buffer.alloc(32, 7) }, now: app.now });
    assert.match(sayFinding((await found(other)) as Finding, 'en').fix ?? '', /Set the MASTER_KEY/);
  });

  test('an old backup and unverified books wait for a person until they are done', async () => {
    const { app, kinds } = await openProduction(openTestDatabase);
    assert.deepEqual(await kinds(), []);
    app.now.advance(8 * DAY);
    assert.deepEqual(await kinds(), ['backup']);
    app.now.advance(24 * DAY);
    assert.deepEqual(await kinds(), ['backup', 'books']);
    assert.deepEqual(
      (await listAttention(app, null, 10)).map(({ reason }) => reason),
      ['no backup was made, and the store is 32 d old', 'the books were never verified, and they are 32 d old'],
    );
    await noteUpkeep(app, 'books', true);
    await noteBackup(app, app.now() - DAY, TESTER);
    assert.deepEqual(await kinds(), []);
    assert.deepEqual(
      (await examineStore(app)).flatMap((one) => (one.check === 'backup' ? [sayFinding(one, 'es').says] : [])),
      ['el último tiene 24 h'],
    );
    const { acts } = await listAudit(app, { action: 'store.backed_up' }, 10);
    assert.deepEqual(
      acts.map(({ subject }) => subject.kind),
      ['store'],
    );
    app.now.advance(7 * DAY);
    assert.deepEqual(await kinds(), ['backup']);
  });

  test('a backup of before the last one does not replace its time, and one of a wrong clock is replaced', async () => {
    const { app, kinds } = await openProduction(openTestDatabase);
    app.now.advance(30 * DAY);
    await noteBackup(app, app.now() - DAY, TESTER);
    await noteBackup(app, app.now() - 20 * DAY, TESTER);
    assert.deepEqual(await kinds(), []);
    await app.db.transaction((tx) =>
      tx.query(`update upkeep set done_at = done_at + 3153600000000 where duty = 'backup'`),
    );
    await noteBackup(app, app.now() - 20 * DAY, TESTER);
    assert.deepEqual(await kinds(), ['backup']);
  });

  test('a verification with findings waits for a person at once, in development too', async () => {
    const app = createTestApp(await openTestDatabase());
    await noteUpkeep(app, 'books', false);
    const [row] = await listAttention(app, null, 10, 'es');
    assert.deepEqual([row?.kind, row?.command], ['books', 'bin/rubrica books verify']);
    assert.match(row?.reason ?? '', /no están como se registraron/);
  });

  test('the console page shows what doctor shows, in both languages, to operators only', async () => {
    const app = createTestApp(await openTestDatabase());
    await keepProcess(app);
    await noteUpkeep(app, 'books', false);
    await using server = await startTestServer(app);
    const operator = await createTestUser(app, { role: 'operator', may: [] });
    const get = (language: string) =>
      server.get('/console/health', { ...operator.console, 'accept-language': language });
    const english = (await get('en')).text;
    const found = await examineStore(app);
    const problems = found.filter(({ fix }) => fix !== null).length;
    assert.ok(problems > 0);
    // A transaction in any database of the server delays the feed, and other tests run some.
    for (const finding of found.filter(({ check }) => check !== 'feed')) {
      const { says, fix } = sayFinding(finding, 'en');
      assert.ok(english.includes(escaped(says)), says);
      if (fix !== null) assert.ok(english.includes(escaped(fix)), fix);
    }
    assert.ok(english.includes(`Need a person: ${problems}`));
    assert.ok((await get('es')).text.includes(`Necesitan a una persona: ${problems}`));
    const support = await createTestUser(app, { role: 'support', may: [] });
    assert.equal((await server.get('/console/health', support.console)).status, 403);
  });
});

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&quot;');

const sayFix = (fixes: readonly unknown[]) => (fixes[0] as { en: string }).en;

async function fixesOf(app: App, check: string): Promise<unknown[]> {
  return (await examineStore(app)).filter((finding) => finding.check === check).map(({ fix }) => fix);
}

/** Opens a production store with entries in its books. */
async function openProduction(openTestDatabase: OpenTestDatabase) {
  const plain = createTestApp(await openTestDatabase());
  const config = { ...plain.config, backupMaxAgeDays: 7, verifyMaxAgeDays: 31 };
  const app = createTestApp(plain.db, { config, now: plain.now });
  await beginFacts(app);
  return { app, kinds: async () => (await listAttention(app, null, 10)).map(({ kind }) => kind).sort() };
}
