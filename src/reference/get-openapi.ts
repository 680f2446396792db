import { readFile } from 'node:fs/promises';
import type { App } from '../app.ts';
import { publicBase } from '../checkout/pay-link.ts';
import type { Operation } from '../http/endpoint.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { OpenApiDocument } from './openapi-shape.ts';
import { transfersDocument } from './transfers-document.ts';

/** The complete API description, as written from the table of endpoints. */
export const getOpenapi: Operation = {
  handle: async (app, _request, reply) => {
    const { whole } = await texts(app);
    return reply.header('content-type', 'application/json; charset=utf-8').send(whole);
  },
};

/** The description of the electronic transfers part. */
export const getOpenapiTransfers: Operation = {
  handle: async (app, _request, reply) => {
    const { transfers } = await texts(app);
    return reply.header('content-type', 'application/json; charset=utf-8').send(transfers);
  },
};

/**
 * Returns the description with the public address of this service. Read from disk each time, because it is rarely
 * requested.
 */
export async function readOpenApi(app: App): Promise<OpenApiDocument> {
  const text = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');
  return { ...JSON.parse(text), servers: [{ url: publicBase(app) }] };
}

// Built at the first request: most processes never get one. It is stored as bytes, so a thousand unread responses share
// them.
const texts = perInstance(async (app: App) => {
  const document = await readOpenApi(app);
  return {
    whole: Buffer.from(JSON.stringify(document)),
    transfers: Buffer.from(JSON.stringify(transfersDocument(document))),
  };
});
