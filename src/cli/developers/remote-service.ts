import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { environmentVariable } from '../../config.ts';
import { Problem } from '../../error-catalogue.ts';
import { CommandError, invalidOption, say } from '../print.ts';
import { readSecret, type SecretOptions } from '../secret-option.ts';

/** The options of a command that also works with a remote service. */
export type RemoteOptions = { url?: string; tokenEnv?: string; tokenFile?: string };

/**
 * A remote service and the `Authorization` header of its user. `apiToken`: logs in again when the access token in that
 * header has expired; null: the user gave the access token itself.
 */
export type Connection = { readonly url: string; authorization: string; readonly apiToken: string | null };

/** The service does not answer now. A retry may succeed. */
class ServiceAway extends CommandError {}

/** The service no longer takes the access token. */
class TokenOver extends CommandError {}

/** `--url`, `--token-env`, `--token-file`. */
export function addRemoteOptions(command: Command): Command {
  return command
    .option('--url <url>', 'URL of a remote service (default: the service of this store)')
    .option(
      '--token-env <name>',
      'environment variable that holds your token of the remote service (default: RUBRICA_TOKEN)',
    )
    .option('--token-file <file>', 'file that holds your token of the remote service');
}

/** Returns the service of `--url`, or null for this store. Throws `CommandError` if the token is refused. */
export async function connect(options: RemoteOptions): Promise<Connection | null> {
  if (options.url === undefined) return null;
  const { origin, pathname } = readUrl('--url', options.url);
  const url = origin + pathname.replace(/\/$/, '');
  const token = readToken(options);
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return { url, authorization: `Bearer ${token}`, apiToken: null };
  return { url, authorization: await logIn(url, token), apiToken: token };
}

/** Reads an http or https URL without a user. Throws `CommandError`. */
export function readUrl(name: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url;
  throw invalidOption(`${name} is a URL such as http://127.0.0.1:9000/callback.`);
}

function readToken({ tokenEnv, tokenFile }: RemoteOptions): string {
  const named = tokenEnv ?? (tokenFile === undefined ? 'RUBRICA_TOKEN' : undefined);
  if (named !== undefined && (environmentVariable(named) ?? '') === '')
    throw invalidOption(`${named} is not set: export a token of yours there, or name a file with --token-file.`);
  const secret: SecretOptions = {
    ...(named !== undefined && { secretEnv: named }),
    ...(tokenFile !== undefined && { secretFile: tokenFile }),
  };
  return readSecret(secret).trim();
}

/** Exchanges an API token for an access token, and returns the header with it. */
async function logIn(url: string, apiToken: string): Promise<string> {
  const answer = await send({ url, authorization: `Bearer ${apiToken}` }, 'POST', '/loginToken', null);
  return `Bearer ${(answer as { access_token_jwt: string }).access_token_jwt}`;
}

type Method = 'GET' | 'POST' | 'DELETE';

/**
 * Sends a request and returns the `data` of the response. Logs in again once if the access token has expired. Throws
 * `ServiceAway`, `Problem` `LISTENER_ENDED`, or `CommandError` with the service's message.
 */
export async function ask<Data>(
  connection: Connection,
  method: Method,
  path: string,
  body: object | null,
  signal?: AbortSignal,
): Promise<Data> {
  const { url, apiToken } = connection;
  const answer = await send(connection, method, path, body, signal).catch(async (error: unknown) => {
    if (!(error instanceof TokenOver) || apiToken === null) throw error;
    connection.authorization = await logIn(url, apiToken);
    return send(connection, method, path, body, signal);
  });
  return (answer as { data: Data }).data;
}

/** The statuses of a service that stops or starts, and of its proxies. */
const AWAY: readonly number[] = [502, 503, 504];
const ANSWER_WITHIN_MS = 30_000;

async function send(
  { url, authorization }: Pick<Connection, 'url' | 'authorization'>,
  method: Method,
  path: string,
  body: object | null,
  signal?: AbortSignal,
): Promise<unknown> {
  const within = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const type = body === null ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { authorization, ...type },
    ...(body !== null && { body: JSON.stringify(body) }),
    signal: signal === undefined ? within : AbortSignal.any([signal, within]),
  }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : unreachable(url, error);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  if (AWAY.includes(response.status)) throw new ServiceAway(`${url} answered ${response.status}.`);
  const { code, title, detail } = (answer ?? {}) as { code?: string; title?: string; detail?: string };
  if (code === 'LISTENER_ENDED') throw new Problem(code);
  const says = code === undefined ? 'Is this the address of a Rúbrica?' : `${code}: ${detail ?? title}`;
  const Failure = code === 'TOKEN_INVALID' ? TokenOver : CommandError;
  throw new Failure(`${url}${path} answered ${response.status}. ${says}`);
}

function unreachable(url: string, error: unknown): ServiceAway {
  const { cause } = error as { cause?: { code?: string } };
  const why = cause?.code ?? String(error);
  return new ServiceAway(`${url} cannot be reached (${why}): is the address right, and does the service run?`);
}

const ASK_AGAIN_MS = 1_000;

/**
 * Retries every second while the service does not answer, as during a restart, and says so once. Returns null once the
 * command must stop.
 */
export async function despiteOutage<Answer>(
  question: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | null> {
  for (let told = false; !signal.aborted; told = true) {
    try {
      return await question();
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof ServiceAway)) throw error;
      if (!told) say(`${error.message} Asking again …`);
      await sleep(ASK_AGAIN_MS, null, { signal }).catch(() => {});
    }
  }
  return null;
}

/** Runs a command until Ctrl+C or SIGTERM. */
export async function untilStopped(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  try {
    await run(stop.signal);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  }
}
