import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { outputOf, runChild, startChild } from '../support/child-process.ts';
import { whyMissing } from '../support/system-programs.ts';

describe('a program that a test starts', () => {
  const { PATH, CI } = process.env;
  beforeEach(() => {
    process.env.PATH = '/nowhere';
  });
  afterEach(() => {
    process.env.PATH = PATH;
    if (CI === undefined) delete process.env.CI;
    else process.env.CI = CI;
  });

  test('fails the test at once when it is missing, and names the package to install', async () => {
    const missing = /^Error: the program python3 is missing: install Debian's package python3$/;
    await assert.rejects(startChild('python3', ['-m', 'http.server']), (error) => missing.test(String(error)));
  });

  test('is a reason to skip the test when it is missing, but not in CI', () => {
    delete process.env.CI;
    assert.match(whyMissing('python3') ?? '', /install Debian's package python3/);
    process.env.CI = 'true';
    assert.equal(whyMissing('python3'), null);
  });

  test('fails the test at once when it cannot be started', async () => {
    await assert.rejects(startChild('bin/nothing', []), /bin\/nothing could not be started: .*ENOENT/);
  });

  test('reports its output when it ends too early', async () => {
    const child = await startChild('node', ['--eval', 'console.error("out of paper"); process.exitCode = 3']);
    await assert.rejects(
      child.until(({ stdout }) => stdout.includes('ready')),
      /status 3\nout of paper/,
    );
    await assert.rejects(outputOf('node', ['--eval', 'throw new Error("no ink")']), /status 1\n[^]*no ink/);
  });

  test('is killed when it does not end in time', async () => {
    const args = ['--eval', 'console.log("still here"); setInterval(() => {}, 1000)'];
    await assert.rejects(runChild('node', args, { longestMs: 1 }), /^Error: Killed after 0\.001 s: node --eval/);
  });
});
