import type { Command } from 'commander';
import { selectClockAhead } from '../../epochs/epoch-queries.ts';
import { findHeld } from '../../epochs/hold.ts';
import { releaseEpoch } from '../../epochs/release-epoch.ts';
import { forgetProcesses } from '../../health/keep-process.ts';
import { worldTime } from '../../lib/clock.ts';
import { writeAnchors } from '../../proof/anchors/keep-anchors.ts';
import { acceptRestore } from '../../proof/restores/accept-restore.ts';
import { advanceClock, ClockChanged, type Happening, resetClock } from '../../travel/advance-clock.ts';
import { goBack, keepSnapshot, MOST_ROWS } from '../../travel/snapshot.ts';
import { readDuration, requireDevelopment } from '../options.ts';
import { alreadyDone, CommandError, countOf, invalidOption, print, time, unusableFile } from '../print.ts';
import { progressLine } from '../progress-line.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

/** `clock show | advance | back | reset`. */
export function addClockCommands(program: Command): void {
  const group = program.command('clock').description('show or advance the clock of a development installation');
  group
    .command('show')
    .description('show the time and how far it is ahead')
    .option('--json', 'print one JSON object')
    .action(show);
  acting(group.command('advance'))
    .description('advance the clock, do what falls due on the way, and list it')
    .argument('<duration>', 'duration, such as 31d, 12h or 30m')
    .option('--json', 'print one JSON object, times in UTC milliseconds')
    .action(advance);
  acting(group.command('back'))
    .description('put the store back as it was before the last `clock advance`; restart the service afterwards')
    .option('--json', 'print one JSON object, times in UTC milliseconds')
    .action(back);
  acting(group.command('reset'))
    .description('return to real time; restart the service afterwards')
    .option('--json', 'print one JSON object')
    .action(reset);
}

const MOST_MS = 400 * 86_400_000;
const ONLY = 'The clock can be changed only in development';
const CHANGED = 'Another command has changed the clock meanwhile, so this one went no further: bin/rubrica clock show';

async function show(options: { json?: boolean }): Promise<void> {
  const { now, world, ahead } = await withApp(async (app) => ({
    now: app.now(),
    world: worldTime(app.now),
    ahead: await selectClockAhead(app.db),
  }));
  const value = { now: new Date(now).toISOString(), world: new Date(world).toISOString(), ahead_ms: ahead };
  print(options, value, [`here       ${time(now)}`, `the world  ${time(world)}`, `ahead      ${spanOf(ahead)}`]);
}

async function advance(duration: string, options: ActingOptions): Promise<void> {
  const byMs = readDuration(duration);
  if (byMs <= 0 || byMs > MOST_MS) throw invalidOption('The clock goes ahead by 1s to 400d at once.');
  const startedAt = performance.now();
  const { snapshot, ...travel } = await withActor(options, async (app, by) => {
    requireDevelopment(app, ONLY);
    if ((await findHeld(app)) !== null)
      throw new CommandError(
        'The store was restored, and nothing leaves before bin/rubrica release.',
        1,
        'COMMAND_FAILED',
      );
    // Callbacks that are given up on the way are in the list, and need no alarm.
    app.log.level = 'silent';
    const kept = await keepSnapshot(app);
    const progress = progressLine();
    const tell = (done: number, awaited: number) => {
      const wait = awaited === 0 ? '' : `, waiting up to 15 s for each answer to ${countOf(awaited, 'callback')}`;
      progress.say(`It is ${time(app.now())}${wait}, carried out`, done);
    };
    const travel = await advanceClock(app, byMs, by, tell)
      .finally(progress.clear)
      .catch((error: unknown) => {
        throw error instanceof ClockChanged ? new CommandError(CHANGED) : error;
      });
    return { ...travel, snapshot: kept };
  });
  const { from, to, aheadMs, happened } = travel;
  const ms = Math.round(performance.now() - startedAt);
  print(options, { from, to, ahead_ms: aheadMs, ms, snapshot, happened }, [
    ...happened.map(lineOf),
    `It is ${time(to)} here, ${spanOf(aheadMs)} ahead of real time. ${happened.length === 0 ? 'Nothing happened meanwhile.' : ''}`.trimEnd(),
    snapshot
      ? 'As it was before: bin/rubrica clock back'
      : `clock back is not possible after this: the store has more than ${MOST_ROWS} rows. Make a backup first.`,
  ]);
}

async function back(options: ActingOptions): Promise<void> {
  const { epoch, aheadMs } = await withActor(options, async (app, by) => {
    requireDevelopment(app, ONLY);
    const gone = await goBack(app, by);
    if (gone.kind === 'none')
      throw alreadyDone(
        'There is nothing to go back to: clock advance keeps the store as it was before, for one step.',
      );
    if (gone.kind === 'another_version')
      throw unusableFile(
        'The store was kept by another version of this program: bin/rubrica clock reset goes on without it.',
      );
    if (gone.kind === 'damaged')
      throw unusableFile(
        'The file of the kept store in DATA_DIR was cut off or changed: bin/rubrica clock reset goes on without it.',
      );
    // The simulated methods collect no money, so nothing has to be compared before callbacks leave.
    await acceptRestore(gone.app, by, REASON);
    await writeAnchors(gone.app);
    await releaseEpoch(gone.app, by, REASON);
    await forgetProcesses(app);
    return gone;
  });
  const { first_transaction_id } = epoch;
  const now = aheadMs === 0 ? 'in real time' : `${spanOf(aheadMs)} ahead of real time`;
  print(options, { ahead_ms: aheadMs, epoch: epoch.epoch, first_transaction_id }, [
    `The store is as it was before the last clock advance, ${now}. A running service stops now: start it again.`,
    'The undone IDs are not used again, and readers of the feed are told where to continue. Your shop still has the callbacks it received.',
  ]);
}

const REASON = 'clock back';

async function reset(options: ActingOptions): Promise<void> {
  const ahead = await withActor(options, async (app, by) => {
    requireDevelopment(app, ONLY);
    const before = await selectClockAhead(app.db);
    if (before === 0) throw alreadyDone('The clock is not ahead: bin/rubrica clock show');
    await resetClock(app, by);
    await forgetProcesses(app);
    return before;
  });
  print(options, { ahead_ms: 0, was_ahead_ms: ahead }, [
    `The clock was ${spanOf(ahead)} ahead and is no longer. A running service stops now: start it again.`,
    'Records made meanwhile keep their future times. To remove them: bin/rubrica clock back.',
  ]);
}

function lineOf({ at, what, count, transactions }: Happening): string {
  const more = count > transactions.length && transactions.length > 0 ? ', …' : '';
  const named = transactions.length === 0 ? '' : ` (transaction ${transactions.join(', ')}${more})`;
  return `${time(at)}  ${count === 1 ? '' : `${count} times `}${what}${named}`;
}

const UNITS: readonly [name: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** Formats milliseconds as `31d 2h`; 0 as `0s`. */
function spanOf(ms: number): string {
  let left = ms;
  const parts = UNITS.flatMap(([name, unit]) => {
    const count = Math.floor(left / unit);
    left -= count * unit;
    return count === 0 ? [] : [`${count}${name}`];
  });
  return parts.length === 0 ? '0s' : parts.join(' ');
}
