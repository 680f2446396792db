import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import shippedList from '../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { type Ended, outputOf, runChild, startChild } from '../support/child-process.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { runCommand } from '../support/run-command.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

suite('validate, banks and privacy on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  const inMemory = mkdtempSync(join(quickFolder(tmpdir()), 'rubrica-cli-'));
  after(() => {
    for (const one of [folder, inMemory]) rmSync(one, { recursive: true });
  });

  const outcomes: [name: string, rows: string, status: number][] = [
    ['nothing is wrong', '12531909-2,012,12531909', 0],
    ['a row is invalid', '12531909-2,012,12531909\n12531909-3,012,12531909', 1],
    ['a row is a mismatch', '11111111-1,001,900000000002', 1],
    ['a row could not be checked', '12531909-2,999,12531909', 3],
  ];
  for (const [name, rows, expected] of outcomes) {
    test(`validate exits with ${expected} when ${name}`, async () => {
      const file = write('in.csv', `rut,bank,account\n${rows}\n`);
      const out = join(folder, 'out.csv');
      const { status, stdout } = await run('validate', file, '--out', out, '--json');
      assert.equal(status, expected);
      assert.equal((JSON.parse(stdout) as { rows: number }).rows, rows.split('\n').length);
      assert.ok(readFileSync(out, 'utf8').startsWith('rut,bank,account,verdict'));
      assert.equal(statSync(out).mode & 0o777, 0o600, 'only the owner may read a file with personal data');
    });
  }

  test('a failed validate keeps the earlier output, and leaves no partial file', async () => {
    const out = write('kept.csv', 'an earlier result\n');
    const { status } = await run('validate', write('broken.csv', 'rut,bank,account\n"1,2,3\n'), '--out', out);
    assert.equal(status, 2);
    assert.equal(readFileSync(out, 'utf8'), 'an earlier result\n');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('kept')),
      ['kept.csv'],
    );
  });

  test('validate removes the partial file of a killed run, but not of one that still runs', async () => {
    const out = join(folder, 'resumed.csv');
    const dead = await endedProcess();
    writeFileSync(`${out}.${dead}.part`, 'half a row');
    writeFileSync(`${out}.${process.pid}.part`, 'another run');
    const input = write('resumed-in.csv', 'rut,bank,account\n12531909-2,012,12531909\n');
    assert.equal((await run('validate', input, '--out', out)).status, 0);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('resumed.csv')),
      ['resumed.csv', `resumed.csv.${process.pid}.part`],
    );
    assert.equal(readFileSync(out, 'utf8').split('\n').length, 3);
  });

  test('validate detects Latin-1 from an accent at the end of a large file', async () => {
    const rows = `12531909-2,012,12531909,${'n'.repeat(90)}\n`.repeat(3000);
    const input = join(folder, 'late.csv');
    writeFileSync(input, `rut,bank,account,name\n${rows}12531909-2,012,12531909,Ñandú\n`, 'latin1');
    const out = join(folder, 'late-out.csv');
    assert.equal((await run('validate', input, '--out', out)).status, 0);
    assert.match(readFileSync(out, 'latin1'), /,Ñandú,plausible,/);
  });

  test('validate replaces the target of a symbolic link, and writes to a named pipe', async () => {
    const input = write('linked-in.csv', 'rut,bank,account\n12531909-2,012,12531909\n');
    const target = write('target.csv', 'an earlier result\n');
    const link = join(folder, 'link.csv');
    symlinkSync(target, link);
    assert.equal((await run('validate', input, '--out', link)).status, 0);
    assert.match(readFileSync(target, 'utf8'), /^rut,bank,account,verdict/);
    const pipe = join(folder, 'pipe');
    await outputOf('mkfifo', [pipe]);
    const [read] = await Promise.all([readFile(pipe, 'utf8'), run('validate', input, '--out', pipe)]);
    assert.match(read, /^rut,bank,account,verdict/);
  });

  const unusable: [name: string, arguments_: string[]][] = [
    ['a missing file', ['validate', join(folder, 'missing.csv')]],
    ['a workbook named .csv', ['validate', write('book.csv', 'PK\x03\x04\x14\x00')]],
    ['a folder', ['validate', folder]],
    ['- as the output', ['validate', write('dash.csv', 'rut,bank,account\n'), '--out', '-']],
    ['a folder as the output', ['validate', write('good.csv', 'rut,bank,account\n'), '--out', folder]],
    [
      'two outputs with the same name',
      ['validate', write('two.csv', 'rut,bank,account\n'), '--repair', join(folder, 'x'), '--out', join(folder, 'x')],
    ],
    ['columns that cannot be recognised', ['validate', write('odd.csv', 'a,b\n1,2\n')]],
    [
      'the output over the input',
      ['validate', write('same.csv', 'rut,bank,account\n'), '--out', join(folder, 'same.csv')],
    ],
    [
      'the output over the input in /dev/shm',
      ['validate', write('same.csv', 'rut,bank,account\n', inMemory), '--out', join(inMemory, 'same.csv')],
    ],
    [
      'an output in a missing folder',
      ['validate', write('fine.csv', 'rut,bank,account\n'), '--out', join(folder, 'no/out.csv')],
    ],
  ];
  for (const [name, arguments_] of unusable) {
    test(`validate exits with 2 for ${name}`, async () => {
      const { status, stderr } = await run(...arguments_);
      assert.equal(status, 2);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    });
  }

  test('validate names the file that could not be written, or the folder of the store, and not the table', async () => {
    const table = write('whole.csv', 'rut,bank,account\n12531909-2,012,12531909\n');
    const missing = join(folder, 'no/out.csv');
    for (const option of ['--out', '--repair']) {
      const { stderr } = await run('validate', table, option, missing);
      assert.equal(stderr, `FILE_UNUSABLE: Reading or writing failed: ${missing}, ENOENT.\n`);
    }
    const full = await run('validate', table, '--out', '/dev/full');
    assert.equal(full.stderr, 'FILE_UNUSABLE: Reading or writing failed: /dev/full, ENOSPC.\n');
    const script = '"$0" "$1" validate "$2" > /dev/full';
    const env = { ...process.env, DATA_DIR: join(folder, 'data'), LANG: 'es_CL.UTF-8' };
    const piped = await runChild('sh', ['-c', script, process.execPath, MAIN, table], { env });
    assert.equal(piped.stderr, 'FILE_UNUSABLE: No se pudo leer o escribir: la salida estándar, ENOSPC.\n');
  });

  test('validate answers USAGE for an option without the other one that it needs', async () => {
    const file = write('plain.csv', 'rut,bank,account\n');
    for (const more of [['--json'], ['--json', '--changes', 'c.csv', '--out', 'o.csv']]) {
      const { status, stdout } = await run('validate', file, ...more);
      assert.deepEqual([status, (JSON.parse(stdout) as { error: { code: string } }).error.code], [64, 'USAGE']);
    }
  });

  test('validate repairs a table from standard input, and reports in the language of the terminal', async () => {
    const [clean, changes] = [join(folder, 'clean.csv'), join(folder, 'changes.csv')];
    const words = ['validate', '-', '--columns', 'rut,bank,account', '--repair', clean, '--changes', changes];
    const input = '12531909–2;BancoEstado;12531909\n12531909-3;012;1\n';
    const { status, stdout, stderr } = await runWith(words, { LANG: 'es_CL.UTF-8' }, input);
    assert.deepEqual([status, stderr], [1, '']);
    assert.match(stdout, /1 {2}RUT_CHECK_DIGIT_MISMATCH: El dígito verificador no corresponde/);
    assert.match(stdout, /Corregido por regla: 1 fila\n/);
    assert.equal(readFileSync(clean, 'utf8'), 'rut;bank;account\n12531909-2;012;12531909\n12531909-3;012;1\n');
    assert.match(readFileSync(changes, 'utf8'), /\n1;repair;rut;DASHES;12531909–2;12531909-2;Un signo/);
    const { stdout: json } = await runWith([...words, '--json', '--language', 'en'], {}, input);
    const { causes } = JSON.parse(json) as { causes: { message: string }[] };
    assert.match(causes[0]?.message ?? '', /^The check character/);
  });

  test('the banks are listed with their names, their state and the date of the list', async () => {
    const { stdout } = await run('banks', 'list');
    assert.match(stdout, /^012 +Banco del Estado de Chile +active +BancoEstado, Banco Estado, CuentaRUT, RutPay$/m);
    assert.match(stdout, /^049 +Banco Security +merged into 028 +Security$/m);
    assert.match(stdout, /^The list 2026\+\w+, as of 2026, part of this release: /m);
    const list = JSON.parse((await run('banks', 'list', '--json')).stdout) as { banks: { code: string }[] };
    assert.equal(list.banks.length, shippedList.banks.length);
  });

  test('banks import accepts a correct list, and refuses one with a wrong code', async () => {
    const banks = shippedList.banks.map((bank) => (bank.code === '059' ? { ...bank, name: 'MUFG Bank' } : bank));
    const wrong = await run('banks', 'import', write('wrong.json', JSON.stringify({ ...shippedList, banks })));
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /BANK_LIST_WRONG_PAIR \/banks\/\d+: Code 059 is not MUFG/);
    const { stdout } = await run('banks', 'import', join(folder, 'wrong.json'), '--json');
    const { error } = JSON.parse(stdout) as { error: { code: string; details: string[] } };
    assert.deepEqual([error.code, error.details.length], ['FILE_UNUSABLE', 1], 'one object, with the wrong entries');
    assert.match(error.details[0] ?? '', /BANK_LIST_WRONG_PAIR/);
    const right = await run('banks', 'import', write('right.json', JSON.stringify(shippedList)), '--json');
    assert.equal(right.status, 0);
    assert.deepEqual((JSON.parse(right.stdout) as { changed: string[] }).changed, []);
  });

  test('the stored data about a RUT can be exported and erased', async () => {
    await run(
      'validate',
      write('one.csv', 'rut,bank,account\n9068826-K,012,9068826\n'),
      '--out',
      join(folder, 'out.csv'),
    );
    const exported = await run('privacy', 'export', '--rut', '9.068.826-k');
    assert.equal((JSON.parse(exported.stdout) as { validations: unknown[] }).validations.length, 1);
    const erased = await run('privacy', 'erase', '--rut', '09068826k', '--json');
    const { rut, erased: count, dry_run, kept } = JSON.parse(erased.stdout) as Record<string, unknown>;
    assert.deepEqual([rut, count, dry_run, kept], ['9068826-K', 1, false, []]);
    assert.match((await run('privacy', 'erase', '--email', 'A@B.cl', '--dry-run')).stdout, /^This would go; nothing/);
    for (const wrong of [[], ['--email', 'nobody'], ['--rut', '1-9', '--email', 'a@b.cl']]) {
      assert.match((await run('privacy', 'export', ...wrong)).stderr, /^(?:USAGE|INVALID_OPTION): /);
    }
    assert.equal((await run('privacy', 'erase', '--rut', '9068826-1')).status, 1);
  });

  async function endedProcess(): Promise<number> {
    const child = await startChild('node', ['--version']);
    await child.ended;
    return child.pid;
  }

  function write(name: string, text: string, within = folder): string {
    const file = join(within, name);
    writeFileSync(file, text);
    return file;
  }

  function runWith(arguments_: string[], more: NodeJS.ProcessEnv, input: string): Promise<Ended> {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data'), ...more };
    return runCommand(arguments_, { env, input });
  }

  function run(...arguments_: string[]): Promise<Ended> {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'data') };
    return runCommand(arguments_, { env });
  }
});
