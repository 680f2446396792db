import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { outputOf } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';
import { whyMissing } from '../support/system-programs.ts';

/** The words up to the cursor, some words that must be offered there, and some that must not. */
const TYPED: [words: string[], offered: string[], never: string[]][] = [
  [[''], ['serve', 'payment-service', 'listen', 'trigger'], ['create', '--json']],
  [['pay'], ['payment-service', 'payment-method', 'payment', 'payout'], ['serve']],
  [['payment-service', ''], ['create', 'rotate', 'hand-over'], ['serve']],
  [['payment-service', 'rotate', '--'], ['--environment', '--overlap', '--help'], ['--name']],
  [['payment-service', 'rotate', 'ps_1', '--environment', ''], ['development', 'production'], ['create']],
  [['trigger', 'refund.'], ['refund.completed', 'refund.failed'], ['payment.completed']],
  [['callback', 'resend', '12', '--st'], ['--state'], ['--json']],
];

suite('completion', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-completion-'));
  after(() => rmSync(folder, { recursive: true }));
  const scriptOf = async (shell: string) => {
    const { stdout, status, stderr } = await runCommand(['completion', shell], { env: process.env });
    assert.equal(status, 0, stderr);
    const file = join(folder, `rubrica.${shell}`);
    writeFileSync(file, stdout);
    return file;
  };

  test('in bash offers commands, options, and the values of options', async () => {
    const file = await scriptOf('bash');
    const asks = TYPED.map(
      ([words]) =>
        `COMP_WORDS=(bin/rubrica ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; COMPREPLY=(); _rubrica; echo "\${COMPREPLY[*]}"`,
    );
    assertOffered(await outputOf('bash', ['-c', `. '${file}'\n${asks.join('\n')}`]));
  });

  test('in fish offers the same', { skip: whyMissing('fish') ?? false }, async () => {
    const file = await scriptOf('fish');
    const asks = TYPED.map(
      ([words]) => `complete -C 'rubrica ${words.join(' ')}' | string split -f1 \\t | string join ' '; or echo`,
    );
    assertOffered(await outputOf('fish', ['-c', `source '${file}'\n${asks.join('\n')}`], { env: homeOf(folder) }));
  });

  test('in zsh offers the same', { skip: whyMissing('zsh') ?? false }, async () => {
    const file = await scriptOf('zsh');
    // zsh shows its offer in the line editor, so this prints the offer in place of the two last steps.
    const shown = [
      'compdef() { :; }; _files() { offered=(); }',
      '_describe() { print -r -- ${offered%%:*}; }; compadd() { print -r -- $offered; }',
    ];
    const asks = TYPED.map(
      ([words]) =>
        `words=(rubrica ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _rubrica`,
    );
    assertOffered(await outputOf('zsh', ['-fc', [...shown, `. '${file}'`, ...asks].join('\n')]));
  });

  test('of an unknown shell is refused', async () => {
    const { status, stderr } = await runCommand(['completion', 'tcsh'], { env: process.env });
    assert.equal(status, 64);
    assert.match(stderr, /Allowed choices are bash, zsh, fish/);
  });
});

/** zsh and fish themselves filter the offer by the beginning of a word. */
function assertOffered(printed: string): void {
  const lines = printed.trimEnd().split('\n');
  assert.equal(lines.length, TYPED.length, printed);
  for (const [at, [words, offered, never]] of TYPED.entries()) {
    const typed = words.at(-1) ?? '';
    const found = (lines[at] ?? '').split(' ').filter((word) => word.startsWith(typed));
    for (const word of offered) assert.ok(found.includes(word), `${words.join(' ')}: ${word} in ${found.join(' ')}`);
    for (const word of never) assert.ok(!found.includes(word), `${words.join(' ')}: no ${word} in ${found.join(' ')}`);
  }
}

function homeOf(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
}
