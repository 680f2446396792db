import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT_FINAL, EXIT_USAGE } from '../../src/cli/print.ts';
import { outputOf } from '../support/child-process.ts';

const root = join(import.meta.dirname, '../..');
const unit = readFileSync(join(root, 'examples/systemd/rubrica.service'), 'utf8');
const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

test('the unit for systemd starts an existing file, and starts it again until a person must act', () => {
  const [command = ''] = valuesOf('ExecStart');
  assert.ok(existsSync(join(root, command.replace('/opt/rubrica/', '').replace(' serve', ''))), command);
  assert.deepEqual(valuesOf('RestartPreventExitStatus'), [`${EXIT_USAGE} ${EXIT_FINAL}`]);
  // The default gives up after five starts in ten seconds: a database may need longer to start.
  assert.deepEqual(valuesOf('StartLimitIntervalSec'), ['0']);
  assert.match(readFileSync(join(root, 'docs/operation.md'), 'utf8'), /\(\.\.\/examples\/systemd\/rubrica\.service\)/);
});

test('the unit gives the service one folder to write, no extra rights, and no other program', () => {
  const expected: Record<string, string[]> = {
    ProtectSystem: ['strict'],
    ProtectHome: ['yes'],
    PrivateTmp: ['yes'],
    PrivateDevices: ['yes'],
    NoNewPrivileges: ['yes'],
    CapabilityBoundingSet: [''],
    SystemCallFilter: ['@system-service', '~@privileged @resources'],
    RestrictAddressFamilies: ['AF_INET AF_INET6 AF_UNIX'],
    UMask: ['0077'],
    StateDirectoryMode: ['0700'],
  };
  for (const [name, values] of Object.entries(expected)) assert.deepEqual(valuesOf(name), values, name);
});

test('a DATABASE_URL with an & in the settings is read alike by systemd and by a shell', async () => {
  const settings = readFileSync(join(root, 'packaging/debian/rubrica.env'), 'utf8').replaceAll(/^#(?=[A-Z_]+=)/gm, '');
  const read = await outputOf('sh', ['-c', `set -a\n${settings}\nprintf %s "$DATABASE_URL"`]);
  assert.equal(read, /^DATABASE_URL='(.*&.*)'$/m.exec(settings)?.[1]);
});
