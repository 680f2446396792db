import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { outputOf, runChild } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { type Program, whyMissing } from '../support/system-programs.ts';
import { TESTER } from '../support/test-actor.ts';
import { startTestService } from '../support/test-service.ts';
import { createTestUser } from '../support/test-user.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubrica-clients-'));
after(() => rmSync(folder, { recursive: true }));
const clients = join(import.meta.dirname, '../../clients');

/** The test runner of each language. The tests use the vectors of the protocol and a running service. */
const RUNNERS: { name: string; program: Program; args: string[]; cwd: string; passed: RegExp }[] = [
  {
    name: 'PHP',
    program: 'php',
    args: ['tests/run.php'],
    cwd: join(clients, 'php'),
    passed: /^\d+ passed, 0 failed$/m,
  },
  {
    name: 'Python',
    program: 'python3',
    args: ['-m', 'unittest', 'discover', '-s', 'tests'],
    cwd: join(clients, 'python'),
    passed: /^OK$/m,
  },
];

forEachEngine('the clients in other languages', (openTestDatabase) => {
  for (const { name, program, args, cwd, passed } of RUNNERS) {
    test(`${name}: the tests of the client pass, also against a running service`, {
      skip: whyMissing(program) ?? false,
    }, async (context) => {
      const service = await startTestService(context, (await openTestDatabase()).url);
      const { development } = await createPaymentService(service.app, 'Shop', TESTER);
      const user = await createTestUser(service.app, { payouts: true });
      const env = {
        ...process.env,
        PYTHONPATH: join(clients, 'python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        RUBRICA_URL: service.url,
        SERVICE_TOKEN: development.service_token,
        SECRET_TOKEN: development.secret_token,
        API_TOKEN: user.api_token,
      };
      const { status, stdout, stderr } = await runChild(program, args, { cwd, env });
      assert.equal(status, 0, stdout + stderr);
      assert.match(stdout + stderr, passed);

      const [, code = ''] = /```(?:php|python)\n([\s\S]*?)```/.exec(readFileSync(join(cwd, 'README.md'), 'utf8')) ?? [];
      const first = join(folder, name);
      writeFileSync(first, code.replace('vendor/autoload.php', join(cwd, 'autoload.php')));
      assert.match(
        await outputOf(program, [first], { env }),
        /^http:\S+\/pay\//,
        'the first program of the README creates a payment',
      );
    });
  }
});
