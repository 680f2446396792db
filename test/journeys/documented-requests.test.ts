import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { createPaymentService, type TokenPair } from '../../src/payment-services/create-payment-service.ts';
import {
  fillSample,
  LANGUAGES,
  requestSamples,
  type SampleLanguage,
  SIGNED_SAMPLES,
} from '../../src/reference/request-samples.ts';
import { outputOf, startChild } from '../support/child-process.ts';
import { findFreePort } from '../support/free-port.ts';
import { type Program, whyMissing } from '../support/system-programs.ts';
import { TESTER } from '../support/test-actor.ts';
import { startTestService } from '../support/test-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubrica-samples-'));
after(() => rmSync(folder, { recursive: true }));

/** What runs a sample, what that starts in turn, and the name that its file needs. */
const PROGRAMS: Record<SampleLanguage, { program: Program; starts?: Program; file: string }> = {
  curl: { program: 'sh', starts: 'curl', file: 'sample.sh' },
  node: { program: 'node', file: 'sample.mjs' },
  php: { program: 'php', file: 'sample.php' },
  python: { program: 'python3', file: 'sample.py' },
};

/** The languages of the fences in the guides. */
const FENCES: Record<string, SampleLanguage> = { sh: 'curl', js: 'node', php: 'php', python: 'python' };

describe('requests that the documentation shows work as they are copied', () => {
  for (const language of Object.keys(LANGUAGES) as SampleLanguage[]) {
    const skip = whyLeftOut(language);

    test(`a signed request in ${LANGUAGES[language]}, whatever stands in its fields`, { skip }, async (context) => {
      const { url, tokens } = await open(context);
      const fields = { ...fieldsOf(tokens), x_session_id: `it's "5" \\ ñ $HOME %41 {{url}}` };
      const output = await runSample(language, fillSample(SIGNED_SAMPLES[language], `${url}/trxs`, fields), tokens);
      assert.match(output, /\b200\b/);
      assert.match(output, /idTrx/);
    });

    test(`a request with a body in ${LANGUAGES[language]}`, { skip }, async (context) => {
      const { url, tokens } = await open(context);
      const body = { rut: `it's "5" \\ ñ`, bankData: { bankSBIFNumber: null, bankAccount: true } };
      const headers = { Authorization: 'Bearer none', 'Content-Type': 'application/json' };
      const samples = requestSamples({ method: 'POST', url: `${url}/validations/BankAccount`, headers, body });
      const output = await runSample(language, samples[language], tokens);
      assert.match(output, /\b401\b/);
      assert.match(output, /TOKEN_INVALID/);
    });

    test(`a plain request in ${LANGUAGES[language]}`, { skip }, async (context) => {
      const { url, tokens } = await open(context);
      const samples = requestSamples({ method: 'GET', url: `${url}/healthz`, headers: {}, body: undefined });
      const output = await runSample(language, samples[language], tokens);
      assert.match(output, /\b200\b/);
      assert.match(output, /"status":"ok"/);
    });
  }

  for (const [fence, code] of blocksOf('quickstart-create.md')) {
    const language = FENCES[fence] as SampleLanguage;
    const skip = whyLeftOut(language);
    test(`the first payment of the quickstart in ${LANGUAGES[language]}`, { skip }, async (context) => {
      const { url, tokens } = await open(context);
      const output = await runSample(language, code, tokens, url);
      assert.match(output, /\b200\b/);
      assert.match(output, /payUrl/);
    });
  }

  for (const [fence, code] of blocksOf('quickstart-callbacks.md')) {
    const language = FENCES[fence] as SampleLanguage;
    const skip = whyLeftOut(language);
    test(`the receiver of the quickstart in ${LANGUAGES[language]} takes what is genuine and nothing else`, {
      skip,
    }, async (context) => {
      const { tokens } = await open(context);
      const url = await startReceiverSample(context, language, code, tokens);
      const genuine = callbackOf(tokens);
      assert.equal(await post(url, genuine), 200, 'genuine');
      for (const [name, body] of Object.entries(forgeriesOf(genuine, tokens)))
        assert.equal(await post(url, body), 400, name);
      assert.equal(await post(url, genuine), 200, 'a second time');
      const rotating = callbackOf({ ...tokens, secret_token: OLD_SECRET_TOKEN });
      assert.equal(await post(url, rotating), 200, 'signed with the old secret during a rotation');
    });
  }
});

function whyLeftOut(language: SampleLanguage): string | false {
  const { program, starts } = PROGRAMS[language];
  return whyMissing(program) ?? (starts === undefined ? null : whyMissing(starts)) ?? false;
}

async function open(context: TestContext): Promise<{ url: string; tokens: TokenPair }> {
  const service = await startTestService(context, 'sqlite::memory:');
  const { development } = await createPaymentService(service.app, 'Shop', TESTER);
  return { url: service.url, tokens: development };
}

async function runSample(language: SampleLanguage, code: string, tokens: TokenPair, url = ''): Promise<string> {
  const { program, file } = PROGRAMS[language];
  const path = join(folder, file);
  writeFileSync(path, code);
  return outputOf(program, [path], { env: environment(tokens, { RUBRICA_URL: url }) });
}

function environment({ service_token, secret_token }: TokenPair, more: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, SERVICE_TOKEN: service_token, SECRET_TOKEN: secret_token, ...more };
}

/** A receiver listens where it was told to, because a shop has one address. */
async function startReceiverSample(
  context: TestContext,
  language: SampleLanguage,
  code: string,
  tokens: TokenPair,
): Promise<string> {
  const port = await findFreePort();
  const { program, file } = PROGRAMS[language];
  const path = join(folder, `receiver-${file}`);
  writeFileSync(path, code);
  const options = language === 'php' ? ['-S', `127.0.0.1:${port}`, path] : [path];
  const env = environment(tokens, { PORT: String(port), OLD_SECRET_TOKEN });
  const child = await startChild(program, options, { env });
  context.after(() => child.end());
  const url = `http://127.0.0.1:${port}/callback?token=1`;
  while (child.running()) {
    const answered = await post(url, '').catch(() => null);
    if (answered !== null) return url;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { status, stderr } = await child.ended;
  throw new Error(`The receiver ended with status ${status}: ${stderr}`);
}

async function post(url: string, body: string): Promise<number> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

function fieldsOf({ service_token }: TokenPair): Record<string, string> {
  return {
    x_account_id: service_token,
    x_amount: '1000',
    x_currency: 'CLP',
    x_customer_email: 'buyer@example.cl',
    x_reference: 'ORD-1',
    x_session_id: 'session-1',
    x_shop_country: 'CL',
    x_url_callback: 'https://shop.example/callback?a=1&b=2',
    x_url_cancel: 'https://shop.example/cancel',
    x_url_complete: 'https://shop.example/complete',
  };
}

const OLD_SECRET_TOKEN = 'the-secret-before-the-rotation';

const CALLBACK = {
  x_amount: '1000.00',
  x_currency: 'CLP',
  x_gateway_reference: '1001',
  x_message: 'Approved',
  x_reference: 'ORD-ñ 1',
  x_result: 'failed',
  x_test: 'true',
  x_timestamp: '2026-01-15T12:00:00.000Z',
};

function callbackOf(tokens: TokenPair, changes: Record<string, string> = {}): string {
  const fields: Record<string, string> = { x_account_id: tokens.service_token, ...CALLBACK, ...changes };
  const message = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  return new URLSearchParams({
    ...fields,
    x_signature: computeSignature(message, signingKey(tokens.secret_token)),
  }).toString();
}

function forgeriesOf(genuine: string, tokens: TokenPair): Record<string, string> {
  const without = new URLSearchParams(genuine);
  without.delete('x_message');
  return {
    'another result': genuine.replace('failed', 'completed'),
    'no signature': genuine.replace(/&x_signature=\w+/, ''),
    'a signature in capitals': genuine.replace(/x_signature=\w+/, (text) =>
      text.toUpperCase().replace('X_SIGNATURE', 'x_signature'),
    ),
    'a short signature': genuine.slice(0, -1),
    'a field less': without.toString(),
    'a field more': callbackOf(tokens, { x_extra: '1' }),
    'a field twice': `${genuine}&x_amount=1`,
    'a field that holds another': callbackOf(tokens, { x_reference: '42x_resultcompletedx_testtrue' }),
    nothing: '',
  };
}

function blocksOf(guide: string): [fence: string, code: string][] {
  const text = readFileSync(join(import.meta.dirname, '../../docs', guide), 'utf8');
  return [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, fence = '', code = '']) => [fence, code]);
}
