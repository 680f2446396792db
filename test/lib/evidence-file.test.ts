import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEvidence } from '../../src/lib/evidence-file.ts';

test('the name of an evidence file is never empty and cannot hide its real ending', () => {
  const rows: [path: string, name: string][] = [
    ['/somewhere/portal.pdf', 'portal.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\Ana\\portal.pdf', 'portal.pdf'],
    ['portal\u202efdp.exe', 'portal?fdp.exe'],
    ['a\u0085\n\u2028\u200bb', 'a????b'],
    ['carpeta/', '?'],
    ['', '?'],
    ['x'.repeat(199) + '📎', `${'x'.repeat(199)}\ufffd`],
  ];
  for (const [path, name] of rows) assert.equal(describeEvidence(path, Buffer.from('1')).name, name);
});
