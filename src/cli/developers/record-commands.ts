import { existsSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { signingKey } from '../../../protocol/hmac.ts';
import { type SignedRequest, sign } from '../../../protocol/sign-fields.ts';
import { SigningError } from '../../../protocol/signing-error.ts';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { followClock } from '../../epochs/follow-clock.ts';
import { parseObject } from '../../lib/parse-object.ts';
import { createPaymentService, type TokenPair } from '../../payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../payment-services/find-environment.ts';
import { selectPaymentServices } from '../../payment-services/payment-service-queries.ts';
import { buildServer } from '../../server/build-server.ts';
import { ROUTES } from '../../server/routes.ts';
import { compareRecordings, type Difference } from '../../travel/compare-recordings.ts';
import { ACCEPTED, makeRecording } from '../../travel/make-recording.ts';
import { type Recording, type RequestEntry, readRecording, writeRecording } from '../../travel/recording.ts';
import { type PostRequest, replayRecording } from '../../travel/replay-recording.ts';
import { readNamedFile, readTime, requireDevelopment, TIMES } from '../options.ts';
import { openOutput } from '../output-file.ts';
import { CommandError, countOf, invalidOption, print, unusableFile } from '../print.ts';
import { type ActingOptions, acting, BEGINS, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { findOwnDevelopment } from './own-development.ts';
import { untilStopped } from './remote-service.ts';

/** `record` and `replay`. */
export function addRecordCommands(program: Command): void {
  program
    .command('record')
    .description('record development requests and their outcomes into a file, until Ctrl+C')
    .requiredOption('--out <file>', 'output file, one JSON object per line')
    .option('--since <time>', `record the past since ${TIMES}, and exit`)
    .option('--payment-service <id>', 'payment service (default: the only one)')
    .action(record);
  acting(program.command('replay'))
    .description('replay a recording with a payment service of its own and print the differences')
    .argument('<file>', 'file written by `record`, by any version')
    .option('--json', 'print one JSON object')
    .action(replay);
}

async function record({ out, ...options }: { out: string; since?: string; paymentService?: string }): Promise<void> {
  if (statSync(resolve(out), { throwIfNoEntry: false })?.isDirectory() === true)
    throw invalidOption(`--out is a file, and ${resolve(out)} is a folder: name a file in it.`);
  if (!existsSync(dirname(resolve(out)))) throw invalidOption(`There is no folder ${dirname(resolve(out))}.`);
  const since = options.since === undefined ? null : readTime('--since', options.since).from;
  const recording = await withApp(async (app) => {
    requireDevelopment(app, 'Recordings are for development');
    const { id } = await findOwnDevelopment(app, options.paymentService);
    const from = since ?? app.now();
    if (since === null) await recordUntilStopped();
    // Another process may have advanced the store's clock meanwhile.
    await followClock(app);
    return makeRecording(app, { environmentId: id, from, to: app.now() });
  });
  const output = await openOutput(out);
  output.stream.write(writeRecording(recording));
  await output.keep();
  process.stdout.write(
    `${countOf(recording.entries.length, 'entry is', 'entries are')} in ${out}. To do it again: bin/rubrica replay ${out}\n`,
  );
}

function recordUntilStopped(): Promise<void> {
  process.stdout.write('Recording development requests. Ctrl+C ends the recording and writes the file.\n');
  return untilStopped(
    (signal) =>
      new Promise((resolve) => {
        // Keeps the process alive until the signal.
        const awake = setInterval(() => {}, 60_000);
        signal.addEventListener('abort', () => {
          clearInterval(awake);
          resolve();
        });
      }),
  );
}

async function replay(file: string, options: ActingOptions): Promise<void> {
  const recorded = readFile(file);
  const { replayed, differences } = await withActor(
    options,
    async (app, by) => {
      requireDevelopment(app, 'Recordings are for development');
      await requireUnused(app);
      app.log.level = 'silent';
      const replayed = await replayHere(app, recorded, by);
      return { replayed, differences: compareRecordings(recorded, replayed) };
    },
    BEGINS,
  );
  const value = {
    same: differences.length === 0,
    entries: recorded.entries.length,
    replayed: replayed.entries.length,
    differences,
  };
  print(options, value, [
    ...differences.map(lineOf),
    differences.length === 0
      ? `All ${recorded.entries.length} entries are the same.`
      : `${countOf(differences.length, 'difference')} in ${countOf(recorded.entries.length, 'entry', 'entries')}.`,
  ]);
  if (differences.length > 0) process.exitCode = 1;
}

function readFile(file: string): Recording {
  const text = readNamedFile(file).toString('utf8');
  const recording = readRecording(text);
  if (recording !== null) return recording;
  throw unusableFile(
    `${file} is not a recording that this version can read: bin/rubrica record --out FILE writes one.`,
  );
}

/**
 * Throws `CommandError` STORE_IN_USE if the store has other payment services: a replay advances the clock of the whole
 * store.
 */
async function requireUnused(app: App): Promise<void> {
  if ((await selectPaymentServices(app.db)).every(({ name }) => name === REPLAY)) return;
  const own =
    app.db.engine === 'sqlite'
      ? 'DATA_DIR=$(mktemp -d)'
      : 'DATABASE_URL=sqlite:$(mktemp -d)/replay.db, or an empty database,';
  throw new CommandError(
    `This store is in use, and a replay sets its clock ahead. Give it a store of its own: ${own} bin/rubrica replay FILE`,
    1,
    'STORE_IN_USE',
  );
}

/** The name of payment services that replays create. */
const REPLAY = 'Replay';

/** Replays through the normal path: signed HTTP requests to a server in this process. */
async function replayHere(app: App, recorded: Recording, by: Actor): Promise<Recording> {
  const { development } = await createPaymentService(app, REPLAY, by);
  const environment = await loadEnvironment(app, development.service_token);
  if (environment === null) throw new Error('A payment service that was just made is gone');
  const servers = new Map<number, { url: string; close: () => Promise<void> }>();
  const post: PostRequest = async (request) => {
    const server = servers.get(request.minutes) ?? (await startServer(app, request.minutes));
    servers.set(request.minutes, server);
    return postTo(server.url, request, development);
  };
  try {
    return await replayRecording(app, recorded, environment.id, post, by);
  } finally {
    for (const { close } of servers.values()) await close();
  }
}

/** Starts a server with the recorded time limit of payers, which is a setting of the service. */
async function startServer(app: App, transactionMinutes: number) {
  const server = buildServer({ ...app, config: { ...app.config, transactionMinutes } }, ROUTES);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const [base = ''] = app.config.basePaths;
  return { url: `http://127.0.0.1:${port}${base}/trxs`, close: () => server.close() };
}

async function postTo(url: string, { fields, transaction }: RequestEntry, tokens: TokenPair) {
  const order = {
    ...fields,
    x_account_id: tokens.service_token,
    x_customer_email: 'payer@example.cl',
    x_session_id: `replay-${transaction}`,
  };
  let body: SignedRequest;
  try {
    body = sign(order as Parameters<typeof sign>[0], signingKey(tokens.secret_token), { allowHttp: true });
  } catch (error) {
    // As the service refuses it. Another version may have taken it.
    if (error instanceof SigningError) return { answer: `400 ${error.code}`, id: null };
    throw error;
  }
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const said = (parseObject(await response.text()) ?? {}) as { data?: { idTrx?: number } | null; code?: string };
  const id = said.data?.idTrx ?? null;
  return { answer: id === null ? `${response.status} ${said.code ?? ''}`.trim() : ACCEPTED, id };
}

function lineOf({ transaction, reference, what, was, is }: Difference): string {
  return `${transaction} (${reference})  ${what}: it was ${was ?? 'nothing'}, and is ${is ?? 'nothing'}`;
}
