import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { createPaymentService, type TokenPair } from '../../src/payment-services/create-payment-service.ts';
import {
  fillSample,
  LANGUAGES,
  requestSamples,
  type SampleLanguage,
  SIGNED_SAMPLES,
} from '../../src/reference/request-samples.ts';
import { outputOf } from '../support/child-process.ts';
import { type Program, whyMissing } from '../support/system-programs.ts';
import { TESTER } from '../support/test-actor.ts';
import { startTestService } from '../support/test-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubrica-samples-'));
after(() => rmSync(folder, { recursive: true }));

/** The program that runs a sample, the program that the sample starts, and the name of its file. */
const PROGRAMS: Record<SampleLanguage, { program: Program; starts?: Program; file: string }> = {
  curl: { program: 'sh', starts: 'curl', file: 'sample.sh' },
  node: { program: 'node', file: 'sample.mjs' },
  php: { program: 'php', file: 'sample.php' },
  python: { program: 'python3', file: 'sample.py' },
};

/** The languages of the code fences in the guides. */
const FENCES: Record<string, SampleLanguage> = { sh: 'curl', js: 'node', php: 'php', python: 'python' };

describe('requests copied from the documentation work', () => {
  for (const language of Object.keys(LANGUAGES) as SampleLanguage[]) {
    const skip = whyLeftOut(language);

    test(`a signed request in ${LANGUAGES[language]}, with special characters in its fields`, {
      skip,
    }, async (context) => {
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

function blocksOf(guide: string): [fence: string, code: string][] {
  const text = readFileSync(join(import.meta.dirname, '../../docs', guide), 'utf8');
  return [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, fence = '', code = '']) => [fence, code]);
}
