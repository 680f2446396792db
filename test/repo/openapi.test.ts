import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CATALOGUE } from '../../src/error-catalogue.ts';
import { openApiDocument } from '../../src/reference/openapi-document.ts';
import type { Operation } from '../../src/reference/openapi-shape.ts';
import { transfersDocument } from '../../src/reference/transfers-document.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { clientTypes } from '../../tools/client-types.ts';
import { DOC_PAGES, withTables } from '../../tools/doc-tables.ts';
import { PROTOCOL_DATA_FILES, protocolData } from '../../tools/protocol-data.ts';
import { readCorpus } from '../hostile/hostile-case.ts';
import { OWN_CASES } from '../hostile/own-cases.ts';
import { runChild } from '../support/child-process.ts';

const root = join(import.meta.dirname, '../..');
const document = openApiDocument(ROUTES);
const operations = Object.values(document.paths)
  .flatMap((item) => ('$ref' in item ? [] : [item.get, item.post]))
  .filter((one) => one !== undefined);

describe('the API description', () => {
  test('openapi.json matches the table of endpoints (node tools/write-openapi.ts writes it)', () => {
    const committed = readFileSync(join(root, 'openapi.json'), 'utf8');
    assert.equal(committed, `${JSON.stringify(document, null, 2)}\n`);
  });

  test('the types of the client match the API description (write-openapi.ts writes them)', () => {
    for (const [file, text] of Object.entries(clientTypes(document)))
      assert.equal(readFileSync(join(root, 'sdk/src', file), 'utf8'), text);
  });

  test('the data of the clients in other languages matches protocol/ (write-openapi.ts writes it)', () => {
    for (const file of PROTOCOL_DATA_FILES) assert.equal(readFileSync(join(root, file), 'utf8'), protocolData());
  });

  test('the tables of docs/ match the tables of the code (write-openapi.ts writes them)', () => {
    for (const page of DOC_PAGES) {
      const text = readFileSync(join(root, page), 'utf8');
      assert.equal(text, withTables(page, text), `${page}: run node tools/write-openapi.ts`);
    }
  });

  test('the linter of API descriptions finds no fault, including the examples', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-openapi-'));
    const transfers = join(folder, 'transfers.json');
    writeFileSync(transfers, JSON.stringify(transfersDocument(document)));
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, JSON.stringify(document).replaceAll('"example":{"message"', '"example":{"massage"'));
    const [good, planted] = await Promise.all([lint('openapi.json', transfers), lint(broken)]);
    rmSync(folder, { recursive: true });
    assert.equal(good.status, 0, good.stderr + good.stdout);
    assert.notEqual(planted.status, 0, 'a planted fault in the examples is found');
  });

  test('every body and every reply with content has an example', () => {
    const contents = operations.flatMap(({ operationId, requestBody, responses }) => [
      ...Object.entries(requestBody?.content ?? {}).map(([type, content]) => ({
        at: `${operationId} ${type}`,
        content,
      })),
      ...Object.entries(responses).flatMap(([status, reply]) =>
        Object.values('$ref' in reply ? {} : (reply.content ?? {})).map((content) => ({
          at: `${operationId} ${status}`,
          content,
        })),
      ),
    ]);
    const bare = contents.filter(({ content }) => content.example === undefined && content.examples === undefined);
    assert.deepEqual(
      bare.map(({ at }) => at),
      [],
    );
  });

  test('every schema of a body or a reply that is an object has a name', () => {
    const nameless = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.values((part !== undefined && 'content' in part && part.content) || {})
          .filter(({ schema }) => 'properties' in schema)
          .map(() => operationId),
      ),
    );
    assert.deepEqual(nameless, []);
  });

  test('an error has the status, the title and the fix of the catalogue', () => {
    for (const [code, example] of Object.entries(document.components['examples'] ?? {})) {
      const { value } = example as { value: { status: number; title: string; detail: string } };
      const { status, title, fix } = CATALOGUE[code as keyof typeof CATALOGUE];
      assert.deepEqual([value.status, value.title, value.detail], [status, title, fix]);
    }
  });
});

test('every code that refuses hostile requests is described, at its endpoint or for all requests', () => {
  const codesIn = (replies: object) =>
    new Set([...JSON.stringify(replies).matchAll(/components\/examples\/(\w+)"/g)].map(([, code]) => code));
  const common = codesIn(document.components['responses'] ?? {});
  // A 422 has a separate code, and lists the codes of its `errors`.
  const refusals = [...readCorpus().cases, ...OWN_CASES].filter(
    ({ expect }) => expect.class === 'reject' && !expect.status.includes(422),
  );
  for (const { id, endpoint, expect } of refusals) {
    const item = document.paths[endpoint.slice('POST '.length)] as { post: Operation };
    const described = codesIn(item.post.responses).union(common);
    const codes = [expect.code ?? []].flat();
    assert.ok(codes.length === 0 || codes.some((code) => described.has(code)), `${id} ${codes.join(' or ')}`);
  }
});

/** Runs the linter without telemetry and update checks, so that no packet leaves the machine. */
function lint(...files: string[]) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
  return runChild('node', ['node_modules/@redocly/cli/bin/cli.js', 'lint', ...files], { cwd: root, env });
}
