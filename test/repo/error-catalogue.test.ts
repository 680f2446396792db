import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE } from '../../src/error-catalogue.ts';
import { codeOf, readSourceFiles } from '../support/source-tree.ts';

/** Files that explain or list codes, and do not respond with them. */
const EXPLAINS = /^src\/(?:error-|reference\/)/;
const DECLARED = /\berrors: \[[^\]]*\]/g;

test('every code of the catalogue is used in an answer', () => {
  const answering = readSourceFiles('src/**/*.ts', 'protocol/**/*.ts')
    .filter(({ path }) => !EXPLAINS.test(path))
    .map((file) => codeOf(file).replaceAll(DECLARED, ''));
  const named = new Set(answering.flatMap((text) => [...text.matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, code]) => code)));
  assert.deepEqual(
    Object.keys(CATALOGUE).filter((code) => !named.has(code)),
    [],
  );
});
