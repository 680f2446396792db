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

test('a form whose type has another parameter named like the boundary is counted too', async () => {
  for (const other of ['xboundary=none; ', 'x="; boundary=none"; ', 'x="\\"; boundary=none; "; ']) {
    const request = await formOf(101);
    const type = request.headers['content-type'] ?? '';
    request.headers['content-type'] = type.replace('boundary=', `${other}boundary=`);
    await assert.rejects(readUpload(request), { code: 'HTTP_MALFORMED' }, other);
  }
});

test('an empty file is told from no file', async () => {
  const chosen = async (name: string, text: string) => {
    const form = new FormData();
    form.set('file', new Blob([text]), name);
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const body = Buffer.from(await request.arrayBuffer());
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    const { file, isEmpty } = await readUpload({ headers, body } as FastifyRequest);
    return [file?.name ?? null, isEmpty];
  };
  assert.deepEqual(await chosen('a.csv', 'x'), ['a.csv', false]);
  assert.deepEqual(await chosen('a.csv', ''), [null, true]);
  assert.deepEqual(await chosen('', ''), [null, false], 'a browser without a chosen file');
});

test('a form has at most a hundred fields', async () => {
  const { fields } = await readUpload(await formOf(100));
  assert.equal(Object.keys(fields).length, 100);
  await assert.rejects(readUpload(await formOf(101)), { code: 'HTTP_MALFORMED' });
});

test('a tab that was pasted into a field is a space, and the file stays as it is', async () => {
  const form = new FormData();
  form.set('reason', 'llegó\troto');
  form.set('file', new Blob(['a\tb']), 'a.csv');
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const body = Buffer.from(await request.arrayBuffer());
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  const { fields, file } = await readUpload({ headers, body } as FastifyRequest);
  assert.deepEqual([fields['reason'], file?.content.toString()], ['llegó roto', 'a\tb']);
});
