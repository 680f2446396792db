import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import type { Actor } from '../../audit/actor.ts';
import { composeApp, type RunningApp } from '../../compose-app.ts';
import { readConfig } from '../../config.ts';
import { SchemaError } from '../../db/database.ts';
import { requireStoreFile } from '../../db/migrate.ts';
import { SEALED_KINDS } from '../../health/sealed-kinds.ts';
import { listMoves } from '../../moves/list-moves.ts';
import { MoveRefusal } from '../../moves/move.ts';
import { type Moved, movePaymentService } from '../../moves/move-payment-service.ts';
import { raiseIds } from '../../moves/raise-ids.ts';
import { undoMove } from '../../moves/undo-move.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import { ENVIRONMENTS } from '../../payment-services/payment-service.ts';
import { readNamedFile } from '../options.ts';
import { openStore } from '../prepare-store.ts';
import { CommandError, countOf, invalidOption, listTable, print, time, unusableFile } from '../print.ts';
import { progressLine } from '../progress-line.ts';
import { type ActingOptions, acting, BEGINS, withActor } from '../with-actor.ts';
import { asCommand, withApp } from '../with-app.ts';

/** `payment-service move | moves`. */
export function addMoveCommands(group: Command): void {
  acting(group.command('move'))
    .description('move a payment service to another database while both serve; run it again to resume')
    .argument('<id>', 'ID from `payment-service list`')
    .requiredOption('--to <file>', "settings file of the other database's service, one NAME=value per line")
    .option('--undo', 'abort a move that has not arrived; the payment service stays here')
    .option('--json', 'print one JSON object')
    .action(move);
  group
    .command('moves')
    .description('list moves from and to this database')
    .option('--json', 'print one JSON object, times in UTC milliseconds')
    .action(showMoves);
}

/** `ids`. */
export function addIdsCommand(program: Command): void {
  acting(program.command('ids'))
    .description('reserve a range of IDs for this database, so that payment services can move to and from it')
    .requiredOption('--from <number>', 'first transaction ID; environment IDs start at a ten-thousandth of it')
    .option('--json', 'print one JSON object')
    .action(changeIds);
}

type MoveOptions = ActingOptions & { to: string; undo?: boolean };

async function move(id: string, options: MoveOptions): Promise<void> {
  const { to: file, undo } = options;
  const line = progressLine();
  try {
    if (undo === true) {
      const ended = await withBoth(options, (from, to, by) => undoMove(from, to, id, by));
      print(options, { id, move: ended, undone: true }, [
        `${id} stays here. What was copied is out of reach in the other database; a later move goes on from it.`,
      ]);
      return;
    }
    const moved = await withBoth(options, (from, to, by) =>
      movePaymentService(from, to, {
        paymentServiceId: id,
        by,
        kinds: SEALED_KINDS,
        onProgress: ({ step, table: name, rows }) => line.say(`${step} ${name}`, rows),
      }),
    );
    const { id: moveId, events, pauseMs, strangers, webhooks } = moved;
    const value = { id, move: moveId, events, pause_ms: pauseMs, users_missing: strangers, webhooks_missing: webhooks };
    print(options, value, linesOf(id, file, moved));
  } catch (error) {
    throw error instanceof MoveRefusal ? new CommandError(error.message, 1, error.code) : error;
  } finally {
    line.clear();
  }
}

function linesOf(id: string, file: string, { events, pauseMs, strangers, webhooks }: Moved): string[] {
  const paused = pauseMs === null ? '' : ` Its requests waited for ${(pauseMs / 1000).toFixed(1)} s.`;
  return [
    `${id} is served by the database of ${file} now, with ${countOf(events, 'event')}, each compared.${paused}`,
    'This database keeps its old data and accepts nothing new for it. Point the balancer at the new one: docs/scaling.md.',
    ...(strangers.length === 0
      ? []
      : [`These users may see it here and are not known there; invite them: ${strangers.join(', ')}`]),
    ...(webhooks.length === 0
      ? []
      : [
          `These users subscribe to events here, and get none from there until they subscribe there: ${webhooks.join(', ')}`,
        ]),
  ];
}

function withBoth<Result>(
  options: MoveOptions,
  run: (from: RunningApp, to: RunningApp, by: Actor) => Promise<Result>,
): Promise<Result> {
  return withActor(options, async (from, by) => {
    const config = asCommand(readConfig(readSettings(options.to)));
    await naming(options.to, async () => requireStoreFile(config.databaseUrl));
    const to = composeApp(config, (error) => {
      throw error;
    });
    try {
      await naming(options.to, () => openStore(to, false));
      return await run(from, to, by);
    } finally {
      await to.close();
    }
  });
}

/** Adds the file of the settings to the refusal of its store: nobody serves one that would be made here. */
function naming(file: string, open: () => Promise<void>): Promise<void> {
  return open().catch((error: unknown) => {
    throw error instanceof SchemaError
      ? new SchemaError(error.code, `With the settings of ${file}: ${error.message}`)
      : error;
  });
}

/**
 * Reads the settings of the other database from a file: every user of the machine can read a master key in an argument.
 */
function readSettings(file: string): NodeJS.ProcessEnv {
  const settings: NodeJS.ProcessEnv = parseEnv(readNamedFile(file).toString('utf8'));
  const missing = ['DATABASE_URL', 'MASTER_KEY', 'PUBLIC_URL'].filter((name) => settings[name] === undefined);
  if (missing.length > 0)
    throw unusableFile(`${file} lacks ${missing.join(', ')}: write it as the other service has it.`);
  return settings;
}

async function showMoves(options: { json?: boolean }): Promise<void> {
  const moves = await withApp(listMoves);
  const rows = moves.map((each) => ({
    'PAYMENT SERVICE': each.payment_service_id,
    WAY: each.direction === 'out' ? 'from here' : 'to here',
    STATE: each.state,
    'OTHER DATABASE': each.address,
    'BEGAN (CHILE)': time(each.began_at),
    'CHANGED (CHILE)': time(each.changed_at),
    BY: each.began_by,
  }));
  print(options, { moves }, listTable(rows, 'Nothing has moved.'));
}

async function changeIds(options: ActingOptions & { from: string }): Promise<void> {
  const first = Number(options.from);
  if (!/^\d{1,14}$/.test(options.from) || first < 1)
    throw invalidOption('--from is a whole number, such as 1000000000.');
  const { next, earlier } = await withActor(
    options,
    async (app, by) => {
      const next = await raiseIds(app, first, by);
      const ids = await Promise.all(ENVIRONMENTS.map((one) => listEnvironmentIds(app, one, null, null)));
      return { next, earlier: ids.flat().filter((id) => id < next.environment).length };
    },
    BEGINS,
  );
  print(options, { next_transaction: next.transaction, next_environment: next.environment }, [
    `New transactions have ids from ${next.transaction} on, new environments from ${next.environment} on.`,
    ...(earlier === 0
      ? []
      : [
          'Payment services that exist keep their ids: they can move only to a database that has not given out the same ids.',
        ]),
    'A running service first uses up to a thousand IDs that it has reserved.',
  ]);
}
