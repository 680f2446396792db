import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE } from '../../src/error-catalogue.ts';
import { openApiDocument } from '../../src/reference/openapi-document.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { codeOf, readSourceFiles } from '../support/source-tree.ts';

/** Files that explain or list codes, and do not respond with them. */
const EXPLAINS = /^src\/(?:error-|reference\/)/;
const DECLARED = /\berrors: \[[^\]]*\]/g;

/** The codes that no operation of the API returns: only pages, commands and paths without an operation have them. */
const OUTSIDE_OPERATIONS = ['NOT_BUILT', 'USER_EXISTS', 'NOT_PAYABLE', 'PAYMENT_IN_PROGRESS'];

test('every code of the catalogue is used in an answer', () => {
  const answering = readSourceFiles('src/**/*.ts', 'protocol/**/*.ts')
    .filter(({ path }) => !EXPLAINS.test(path))
    .map((file) => codeOf(file).replaceAll(DECLARED, ''));
  const named = new Set(answering.flatMap((text) => [...text.matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, code]) => code)));
  assert.deepEqual(
    Object.keys(CATALOGUE).filter((code) => !named.has(code)),
    [],
    'nothing responds with these codes: delete them',
  );
});

test('every code of the catalogue is described at an operation, unless only pages and commands have it', () => {
  const described = JSON.stringify(openApiDocument(ROUTES));
  assert.deepEqual(
    Object.keys(CATALOGUE).filter((code) => !described.includes(`"${code}"`)),
    OUTSIDE_OPERATIONS,
    'name the code in `errors` of each operation that returns it; if none does, in OUTSIDE_OPERATIONS of this test',
  );
});
