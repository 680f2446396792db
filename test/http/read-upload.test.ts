import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { readUpload } from '../../src/http/read-upload.ts';

async function formOf(fields: number): Promise<FastifyRequest> {
  const form = new FormData();
  for (let at = 0; at < fields; at++) form.append(`field-${at}`, String(at));
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const body = Buffer.from(await request.arrayBuffer());
  return { headers: { 'content-type': request.headers.get('content-type') ?? '' }, body } as FastifyRequest;
}

test('a form has at most a hundred fields', async () => {
  const { fields } = await readUpload(await formOf(100));
  assert.equal(Object.keys(fields).length, 100);
  await assert.rejects(readUpload(await formOf(101)), { code: 'HTTP_MALFORMED' });
});
