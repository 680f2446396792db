import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { proveInstalled } from '../support/installed-product.ts';
import { run } from '../support/sdk-package.ts';

const repository = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');

// Needs no container engine: the test copies the files of the Containerfile and runs its commands of the product.
suite('the image of the Containerfile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-image-'));
  after(() => rmSync(folder, { recursive: true }));

  test('is built only from what .dockerignore allows, and the product in it runs', async () => {
    const context = join(folder, 'context');
    const lets = read('.dockerignore')
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#'));
    assert.equal(lets.shift(), '*');
    for (const line of lets) {
      assert.match(line, /^!/);
      const path = line.slice(1);
      cpSync(join(repository, path), join(context, path), { recursive: true });
    }
    // As after bin/install.
    symlinkSync(join(repository, 'node_modules'), join(context, 'node_modules'));
    const [, target = ''] = /^RUN bin\/build (\S+)$/m.exec(read('Containerfile')) ?? [];
    assert.ok(read('Containerfile').includes(`COPY --from=build ${target} ${target}\n`));
    const built = join(folder, target);
    await run(context, join(context, 'bin/build') as `/${string}`, built);
    for (const path of ['src', 'test', 'rubrica.env', 'data', '.git', 'package-lock.json', 'node_modules/typescript'])
      assert.ok(!existsSync(join(built, path)), path);
    await proveInstalled(join(built, 'bin/rubrica') as `/${string}`, join(folder, 'used'));
  });

  test('does not run as root, and compose.yaml has no password and listens only on this machine', () => {
    const steps = read('Containerfile').split('\n');
    assert.ok(
      steps.indexOf('USER rubrica') > 0 && steps.indexOf('USER rubrica') < steps.indexOf('ENTRYPOINT ["rubrica"]'),
    );
    const compose = read('compose.yaml');
    for (const [, name, value] of compose.matchAll(/^ {6}(\w*(?:KEY|PASSWORD)\w*): (.*)$/gm))
      assert.match(value ?? '', /^\$\{\w+:\?set it in \.env\}$/, name ?? '');
    assert.match(compose, /^ {6}- 127\.0\.0\.1:8080:8080$/m);
    assert.match(compose, /^ {4}stop_grace_period: 20s$/m);
  });
});
