import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLine } from '../../src/lib/log-line.ts';

const at = '2026-01-15T12:00:05.000Z';
const clock = new Date(at).toTimeString().slice(0, 8);

const LINES: [record: Record<string, unknown>, line: string][] = [
  [{ level: 30, time: at, msg: 'stopping' }, `${clock}  stopping\n`],
  [
    { level: 30, time: at, msg: 'request', method: 'GET', status: 200, tags: ['a'] },
    `${clock}  request  method=GET status=200 tags=["a"]\n`,
  ],
  [{ level: 40, time: at, msg: 'late' }, `${clock}  warning: late\n`],
  [
    {
      level: 50,
      time: at,
      msg: 'failed',
      refund: 'rf_1',
      err: { name: 'Error', message: 'no', stack: 'Error: no\n    at x' },
    },
    `${clock}  error: failed  refund=rf_1\n          Error: no\n              at x\n`,
  ],
  [{ level: 60, time: at, err: { name: 'string' } }, `${clock}  error: \n          {"name":"string"}\n`],
];

for (const [record, line] of LINES) {
  test(`a log record of level ${String(record['level'])} is a readable line: ${String(record['msg'])}`, () => {
    assert.equal(logLine(JSON.stringify(record)), line);
  });
}
