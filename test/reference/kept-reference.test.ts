import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../src/app.ts';
import { getDocsReference } from '../../src/reference/get-docs.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';

forEachEngine('the API reference', (openTestDatabase) => {
  test('is kept in memory as one page for all readers of a language', async () => {
    const db = await openTestDatabase();
    const [app, other] = [createTestApp(db), createTestApp(db)];
    const page = await ask(app, {});
    // Any address and header lead to one of four pages: one in each language for readers of each language.
    const asked = [];
    for (const lang of [undefined, 'en', 'es', 'de', 'x'.repeat(500)])
      for (const accept of ['', 'en', 'es', 'es-CL,es;q=0.9', 'de', '*', 'y'.repeat(500)])
        asked.push(await ask(app, { lang, accept }));
    assert.equal(new Set(asked).size, 4);
    assert.ok(asked.includes(page));
    assert.notEqual(await ask(other, {}), page, 'a process with other settings makes its own page');
  });

  test('is kept for each language, whichever language was requested first', async () => {
    const db = await openTestDatabase();
    for (const order of [
      ['es', 'en'],
      ['en', 'es'],
    ] as const) {
      const app = createTestApp(db);
      for (const accept of order) {
        const text = String(await ask(app, { accept }));
        assert.ok(text.includes(`<html lang="${accept}`), accept);
        assert.ok(text.includes(accept === 'es' ? 'Referencia de la API' : 'API reference'));
        const changed = accept === 'es' ? 'en' : 'es';
        // The links of the page keep the chosen language.
        assert.ok(String(await ask(app, { accept, lang: changed })).includes(`/docs?lang=${changed}"`));
        assert.ok(!text.includes(`/docs?lang=${accept}"`));
      }
    }
  });
});

/** Returns the bytes that are sent. */
async function ask(app: App, { lang, accept = '' }: { lang?: string | undefined; accept?: string }): Promise<Buffer> {
  const sent: Buffer[] = [];
  const reply = {
    code: () => reply,
    headers: () => reply,
    header: () => reply,
    send: (bytes: Buffer) => {
      sent.push(bytes);
      return reply;
    },
  };
  const request = { query: lang === undefined ? {} : { lang }, headers: { 'accept-language': accept } };
  await getDocsReference.handle(app, request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return sent[0] as Buffer;
}
