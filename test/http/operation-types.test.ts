import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createdReply, statusWord } from '../../src/api/transactions/transaction-reply.ts';
import { operation } from '../../src/http/endpoint.ts';
import { Type } from '../../src/http/json-schema.ts';

// The compiler is the test: after each `@ts-expect-error` a contract contradicts its handler, and must not compile.
const address = { method: 'GET', paths: ['/lie'], access: 'public' } as const;
const described = {
  operationId: 'lie',
  summary: 'Lies',
  description: 'Says something else than it returns.',
  tag: 'Operation',
  errors: [],
} as const;

test('a reply that its schema does not describe is refused by the compiler', async () => {
  const honest = operation({
    ...address,
    describe: {
      ...described,
      replies: { 200: { description: '', schema: Type.Object({ expiresAt: Type.String() }) } },
    },
    handle: async () => ({ expiresAt: '2026-01-15T12:00:00.000Z' }),
  });
  assert.deepEqual(await honest.handle({} as never, {} as never, {} as never), {
    expiresAt: '2026-01-15T12:00:00.000Z',
  });

  operation({
    ...address,
    describe: {
      ...described,
      replies: { 200: { description: '', schema: Type.Object({ expiresAt: Type.Integer() }) } },
    },
    // @ts-expect-error: an integer is declared and the handler returns a text
    handle: async () => ({ expiresAt: '2026-01-15T12:00:00.000Z' }),
  });

  operation({
    ...address,
    describe: {
      ...described,
      replies: {
        200: { description: '', schema: Type.Object({ status: Type.String({ enum: ['pending', 'complete'] }) }) },
      },
    },
    // @ts-expect-error: the list lacks a state
    handle: async () => ({ status: statusWord('failed') }),
  });

  operation({
    ...address,
    describe: {
      ...described,
      replies: { 200: { description: '', schema: Type.Object({ id: Type.Integer(), added: Type.String() }) } },
    },
    // @ts-expect-error: the handler does not return a declared member
    handle: async () => ({ id: 1 }),
  });

  operation({
    ...address,
    describe: { ...described, replies: { 200: { description: '', schema: Type.Object({ id: Type.Integer() }) } } },
    // @ts-expect-error: the text belongs to another reply
    handle: async () => createdReply({} as never, { id: 1, pay_secret: '' }, []),
  });
});

test('an error that is not in the catalogue is refused by the compiler', () => {
  operation({
    ...address,
    // @ts-expect-error: there is no such code
    describe: { ...described, replies: {}, errors: ['NO_SUCH_CODE'] },
    handle: async (_app, _request, reply) => reply,
  });
});

test('a query parameter has the type of its schema', () => {
  operation({
    ...address,
    describe: {
      ...described,
      parameters: [{ name: 'limit', in: 'query', description: '', schema: Type.Integer() }],
      replies: { 200: { description: '', schema: Type.Object({ limit: Type.Number() }) } },
    },
    handle: async (_app, _request, _reply, query) => {
      const { limit = 1 } = query();
      // @ts-expect-error: it is a number
      const text: string = limit;
      return { limit: Number(text) };
    },
  });
});
