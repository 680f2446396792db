import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';

const OF_TIMES =
  /(^| )(WHEN|SINCE|MADE|KEPT|ADDED|CREATED|IMPORTED|COMPARED|CHANGED|BEGAN|OPENED|UNTIL|EXPIRES|ENDED|ENDS|LAST USED?|LAST LOG-IN|NEXT ATTEMPT)$/;

test('every heading of times in the lists of the command line says that they are Chilean, and only CSV has UTC too', () => {
  const headings = globSync(new URL('../../src/cli/**/*.ts', import.meta.url).pathname).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/'([A-Z][A-Z -]*?)( \((?:UTC|CHILE)\))?'/g)].map(
      ([, heading = '', zone]) => ({ file, heading, zone }),
    ),
  );
  const ofTimes = headings.filter(({ heading }) => OF_TIMES.test(heading));
  assert.ok(ofTimes.length > 30, `${ofTimes.length}`);
  const isChilean = ({ file, heading }: (typeof headings)[number]) =>
    headings.some((one) => one.file === file && one.heading === heading && one.zone === ' (CHILE)');
  assert.deepEqual(
    ofTimes.filter((one) => one.zone === undefined || !isChilean(one)),
    [],
  );
  // Scripts read the columns of this CSV by place.
  assert.deepEqual(
    headings.filter(({ zone }) => zone === ' (UTC)').map(({ file, heading }) => [basename(file), heading]),
    [['reconcile-command.ts', 'WHEN']],
  );
});

test('no text of the command line calls a Chilean time UTC', () => {
  const files = globSync(new URL('../../src/cli/**/*.ts', import.meta.url).pathname);
  assert.deepEqual(
    files.filter((file) => /\btime\([^`]*?\)\} UTC/.test(readFileSync(file, 'utf8'))),
    [],
  );
});
