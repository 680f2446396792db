import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSourceFiles, type SourceFile } from '../support/source-tree.ts';
import allowed from './tics.json' with { type: 'json' };

/**
 * Unnatural phrases, each with what to write instead. `test/repo/tics.json` has the allowed counts, which may only
 * fall.
 */
const TICS: Record<keyof typeof allowed, [found: RegExp, instead: string]> = {
  'is no … that': [/\b(?:is|are|was|were) no \w+ (?:that|which|who)\b/gi, 'say what it is, or "no … does"'],
  'is none': [/\b(?:is|are|was|were) none\b/gi, '"there is no …", "is not a …", "has no …"'],
  whoever: [/\bwhoever\b/gi, 'name the person or the program'],
  'that of': [/\b(?:that|those) of\b/gi, 'repeat the noun: "the headers follow …", "the sum of its entries"'],
  'of which': [/\bof (?:which|whom)\b/gi, 'two sentences'],
  'give back': [/\bg(?:ives?|iven|ave|iving)(?: \w+){0,3} back\b/gi, 'refund'],
  'comment: What …': [
    /\/\*\* (?:What|Who|Whose|Which) (?![^*]*\?)/g,
    'name the subject: a function does something, a type is something',
  ],
  'nobody … any more': [/\bnobody\b[^.]{0,60}\bany ?more\b/gi, '"no longer", with the subject that it is about'],
};

const files = readSourceFiles('{src,protocol,sdk,bench,tools,docs,examples}/**/*.{ts,md,mjs}', '*.md');

describe('plain English', () => {
  for (const [name, [pattern, instead]] of Object.entries(TICS)) {
    const most = allowed[name as keyof typeof allowed];
    test(`has "${name}" no more often than ${most} times`, (context) => {
      const places = files.flatMap((file) => placesOf(file, pattern));
      assert.ok(
        places.length <= most,
        `${places.length} are more than ${most}. Write instead: ${instead}. One of these is new; sdk/src/api-*.ts copies src/api:\n${places.join('\n')}`,
      );
      if (places.length < most) context.diagnostic(`write ${places.length} for "${name}" into test/repo/tics.json`);
    });
  }

  test('is checked across the lines of a comment', () => {
    const file = { path: 'a.ts', text: '/**\n * What was given\n * back. It is\n * none.\n */' };
    assert.equal(placesOf(file, TICS['give back'][0]).length, 1);
    assert.equal(placesOf(file, TICS['is none'][0]).length, 1);
  });
});

/** Returns each occurrence with some words around it. */
function placesOf({ path, text }: SourceFile, pattern: RegExp): string[] {
  const prose = text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
  return [...prose.matchAll(pattern)].map(({ 0: found, index }) => {
    return `${path}: …${prose.slice(Math.max(0, index - 9), index + found.length + 40)}`;
  });
}
