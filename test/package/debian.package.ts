import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { outputOf } from '../support/child-process.ts';
import { proveInstalled } from '../support/installed-product.ts';
import { run } from '../support/sdk-package.ts';

const repository = join(import.meta.dirname, '../..');
/** It depends on half of Perl, so `bin/test` does not install it. */
const LINTIAN = '/usr/bin/lintian';
const skip = process.getuid?.() === 0 ? false : 'dpkg installs as root alone';

suite("Debian's package", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-deb-'));
  const root = join(folder, 'root');
  const settings = join(root, 'etc/rubrica.env');
  let file: string;
  before(async () => {
    const printed = await outputOf('packaging/make-deb', [folder], { cwd: repository, longestMs: 9 * 60_000 });
    file = printed.trim().split('\n').at(-1) ?? '';
  });
  after(() => rmSync(folder, { recursive: true }));

  /** With the folders of administrators' programs, which dpkg needs. */
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  /** Runs dpkg with a separate root, which its scripts get as DPKG_ROOT, so the machine does not change. */
  const dpkg = (...words: string[]) =>
    outputOf('dpkg', [`--root=${root}`, '--force-depends', '--force-script-chrootless', ...words], {
      cwd: folder,
      env,
    });

  test('contains the unit, the man page, the completions and the settings, all owned by root', async () => {
    const listed = (await run(folder, 'dpkg-deb', '--contents', file)).trim().split('\n');
    const paths = new Set(listed.map((line) => line.split(/ +/)[5]));
    for (const path of [
      'usr/lib/systemd/system/rubrica.service',
      'usr/share/man/man1/rubrica.1.gz',
      'usr/share/bash-completion/completions/rubrica',
      'usr/share/zsh/vendor-completions/_rubrica',
      'usr/share/fish/vendor_completions.d/rubrica.fish',
      'usr/share/rubrica/rubrica.env',
      'usr/share/doc/rubrica/copyright',
      'usr/lib/rubrica/dist/src/main.js',
      'usr/bin/rubrica',
    ])
      assert.ok(paths.has(`./${path}`), path);
    assert.deepEqual(
      listed.filter((line) => !line.includes(' root/root ')),
      [],
    );
    assert.deepEqual(
      listed.filter((line) => /^-.{7}w/.test(line)),
      [],
      'only the owner may write the files',
    );
  });

  test('passes lintian, except for the faults that are explained', {
    skip: existsSync(LINTIAN) ? false : 'lintian is not installed',
  }, async () => {
    const tags = await outputOf(
      LINTIAN,
      ['--allow-root', '--tag-display-limit', '0', '--fail-on', 'none', '-L', '>=warning', file],
      {
        longestMs: 8 * 60_000,
      },
    );
    assert.equal(tags, '');
  });

  test('can be installed, creates a user and a key that only root reads, and runs', async () => {
    for (const path of ['etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'])
      mkdirSync(join(root, path), { recursive: true });
    for (const path of ['etc/passwd', 'etc/group', 'etc/shadow', 'etc/gshadow', 'var/lib/dpkg/status'])
      writeFileSync(join(root, path), '');
    assert.match(await dpkg('--install', file), /set PUBLIC_URL in \/etc\/rubrica\.env/);
    assert.match(
      readFileSync(join(root, 'etc/passwd'), 'utf8'),
      /^rubrica:.*:\/var\/lib\/rubrica:\/usr\/sbin\/nologin$/m,
    );
    assert.match(readFileSync(settings, 'utf8'), /^RUBRICA_ENV=production$[^]*^MASTER_KEY=[0-9a-f]{64}$/m);
    assert.equal(statSync(settings).mode & 0o777, 0o600);
    const unit = readFileSync(join(root, 'usr/lib/systemd/system/rubrica.service'), 'utf8');
    assert.match(unit, /^ExecStart=\/usr\/bin\/rubrica serve$/m);
    assert.match(unit, /^EnvironmentFile=\/etc\/rubrica\.env$/m);
    await proveInstalled(join(root, 'usr/bin/rubrica') as `/${string}`, join(folder, 'used'));
    assert.equal(await dpkg('--verify', 'rubrica'), '');
  });

  test('keeps the settings and their key when it is installed again and when it is purged', async () => {
    const kept = readFileSync(settings, 'utf8');
    await dpkg('--install', file);
    assert.equal(readFileSync(settings, 'utf8'), kept);
    assert.match(await dpkg('--purge', 'rubrica'), /\/etc\/rubrica\.env and \/var\/lib\/rubrica stay/);
    assert.equal(readFileSync(settings, 'utf8'), kept);
    assert.ok(!existsSync(join(root, 'usr/lib/rubrica')), 'removing the package also removes compiled code');
  });
});
