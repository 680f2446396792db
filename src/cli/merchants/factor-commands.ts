import type { Command } from 'commander';
import { addTotp } from '../../auth/factors/enrol-totp.ts';
import { isFactorName } from '../../auth/factors/factor.ts';
import { listFactors } from '../../auth/factors/list-factors.ts';
import { renewRecoveryCodes } from '../../auth/factors/recovery-codes.ts';
import { removeFactor, resetFactors } from '../../auth/factors/remove-factor.ts';
import { findUser } from '../../auth/find-user.ts';
import { alreadyDone, countOf, invalidOption, listTable, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { unknownUser } from './user-options.ts';

/** `user factor list | add | remove | reset | recovery-codes`: the second factors of a person. */
export function addFactorCommands(users: Command): void {
  const group = users
    .command('factor')
    .description('manage second factors: authenticator apps, passkeys and recovery codes');
  const add = (name: string, description: string) =>
    group.command(name).description(description).option('--json', 'print one JSON object');
  add('list', 'list the second factors of a user and the number of recovery codes left')
    .argument('<user>', 'e-mail address of the user')
    .action(list);
  acting(add('add', 'add an authenticator app; shows its key and recovery codes once'))
    .argument('<user>', 'e-mail address of the user')
    .option('--name <name>', 'name of the device', 'Phone')
    .action(addApp);
  acting(add('remove', 'remove a factor; the last one stays if the user needs one'))
    .argument('<id>', 'ID from the list')
    .action(remove);
  acting(add('reset', 'remove all factors and recovery codes of a user and end the sessions, for a lost phone'))
    .argument('<user>', 'e-mail address of the user')
    .action(reset);
  acting(add('recovery-codes', 'replace the recovery codes with ten new ones and show them once'))
    .argument('<user>', 'e-mail address of the user')
    .action(renewCodes);
}

async function list(user: string, options: { json?: boolean }): Promise<void> {
  const listed = await withApp((app) => listFactors(app, user));
  if (listed === null) throw unknownUser(user);
  const rows = listed.factors.map(({ id, kind, name, created_at, last_used_at }) => ({
    ID: id,
    KIND: kind,
    NAME: name,
    'ADDED (CHILE)': time(created_at),
    'LAST USE (CHILE)': time(last_used_at),
  }));
  print(options, listed, [
    ...listTable(rows, `No second factor: bin/rubrica user factor add ${user}`),
    `Recovery codes left: ${listed.recovery_codes}`,
  ]);
}

async function addApp(user: string, options: ActingOptions & { name: string }): Promise<void> {
  const { name } = options;
  if (!isFactorName(name)) throw invalidOption('--name has 1 to 60 letters, digits, spaces, points or dashes.');
  const added = await withActor(options, async (app, by) => {
    const found = await findUser(app, user);
    return found && addTotp(app, found, name, by);
  });
  if (added === null) throw unknownUser(user);
  const { id, secret, address, recoveryCodes } = added;
  const value = { id, secret, otpauth_uri: address, recovery_codes: recoveryCodes };
  if (options.json === true) return print(options, value, []);
  const { renderUnicodeCompact } = await import('uqr');
  print(options, value, [
    `Authenticator app ${id} (${name}) of ${user}. The key is shown once:`,
    renderUnicodeCompact(address, { border: 2 }),
    `  key        ${secret}`,
    `  address    ${address}`,
    ...saidCodes(recoveryCodes),
  ]);
}

function saidCodes(codes: readonly string[]): string[] {
  return codes.length === 0 ? [] : ['Recovery codes, each works once:', ...codes.map((code) => `  ${code}`)];
}

async function remove(id: string, options: ActingOptions): Promise<void> {
  const outcome = await withActor(options, (app, by) => removeFactor(app, id, null, by));
  if (outcome === 'unknown') throw notFound(`There is no factor ${id}: bin/rubrica user factor list USER`);
  if (outcome === 'last')
    throw alreadyDone(`${id} is the only one, and the user must have one: bin/rubrica user factor reset USER`);
  print(options, { id, removed: true }, [`${id} is removed.`]);
}

async function reset(user: string, options: ActingOptions): Promise<void> {
  const done = await withActor(options, (app, by) => resetFactors(app, user, by));
  if (done === null) throw unknownUser(user);
  print(options, done, [
    `${countOf(done.removed, 'factor is', 'factors are')} removed from ${user}, the recovery codes too; sessions have ended.`,
  ]);
}

async function renewCodes(user: string, options: ActingOptions): Promise<void> {
  const made = await withActor(options, async (app, by) => {
    const found = await findUser(app, user);
    return found && { id: found.id, recovery_codes: (await renewRecoveryCodes(app, found.id, null, by)) ?? [] };
  });
  if (made === null) throw unknownUser(user);
  print(options, made, saidCodes(made.recovery_codes));
}
