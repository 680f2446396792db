import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FastifyRequest } from 'fastify';
import type { Cause, ExplainOptions, Explanation } from '../../../protocol/explain-signature.ts';
import type { CauseCode, ProgramLanguage } from '../../../protocol/signature-causes.ts';
import { problem, type SigningCode } from '../../../protocol/signing-error.ts';
import type { App } from '../../app.ts';
import { SPANISH_CAUSES } from '../../cause-spanish.ts';
import type { ProblemExtras } from '../../error-catalogue.ts';
import type { ErrorItem } from '../../error-item.ts';
import { SPANISH_HINTS } from '../../hint-spanish.ts';
import { LANGUAGE_NAMES, languageOfClient } from '../../http/language-of-client.ts';
import { pointerTo, signingItem } from '../../http/problem-words.ts';
import { BatcherFullError, createBatcher } from '../../lib/batcher.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import { withinTime } from '../../lib/within-time.ts';
import { consumeLimit } from '../../limits/consume-limit.ts';
import type { Limit } from '../../limits/limit.ts';
import { cachedEnvironment } from '../../payment-services/find-environment.ts';
import { findKnownSecrets } from '../../payment-services/find-known-secrets.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';

/** The bytes of a signed request, and its media type. */
export type ReceivedBody = {
  readonly body: Buffer;
  readonly contentType: 'application/json' | 'application/x-www-form-urlencoded';
};

/**
 * These limits hold also when rate limits are off. Above them a refusal has no explanation, as for production tokens.
 */
export const EXPLAIN_LIMITS = {
  account: { name: 'explain-account', most: 2000, windowMs: 5 * 60_000, counts: 'window' },
  address: { name: 'explain-address', most: 2000, windowMs: 5 * 60_000, counts: 'window' },
} as const satisfies Record<string, Limit>;

/**
 * A bounded search takes 0.1 s of a processor, but on a busy machine its thread runs after everything else, and after
 * it has loaded its code. A thread that needs more is terminated, and the next refusal would start another.
 */
const LONGEST_SEARCH_MS = 60_000;

/**
 * Explains why a signature was refused: returns `errors` with each cause that could be proved, for Service Tokens of
 * development. Returns `{}` when nothing was proved, and for production and unknown tokens, so that their responses are
 * alike.
 *
 * It never accepts a request and never reveals an expected signature: it says how the received signature was made.
 */
export async function explainRefusal(
  app: App,
  request: FastifyRequest,
  serviceToken: string,
  received: ReceivedBody,
): Promise<ProblemExtras> {
  // The signature check has just loaded it.
  const environment = cachedEnvironment(app, serviceToken);
  if (environment?.environment !== 'development') return {};
  const causes = await findCauses(app, request, environment, received).catch((error: unknown) => {
    // An explanation is optional: its failure must not turn the refusal into another error.
    if (!(error instanceof BatcherFullError)) app.log.error({ err: error }, 'a refusal could not be explained');
    return [];
  });
  if (causes.length === 0) return {};
  const language = languageOfClient(request.headers['user-agent']);
  const errors = causes.map((cause) => itemOf(cause, language));
  return { errors };
}

async function findCauses(
  app: App,
  request: FastifyRequest,
  environment: ServiceEnvironment,
  { body, contentType }: ReceivedBody,
): Promise<Cause[]> {
  if (!(await mayExplain(app, request, environment))) return [];
  const secrets = await findKnownSecrets(app, environment);
  if (secrets === null) return [];
  const { verified, causes } = await questions.submit({
    body,
    contentType,
    secret: secrets.current,
    otherSecrets: secrets.others,
    allowHttp: app.config.allowPrivateCallbacks,
  });
  return verified ? [] : causes;
}

async function mayExplain(app: App, request: FastifyRequest, { id }: ServiceEnvironment): Promise<boolean> {
  const byAddress = await consumeLimit(app, EXPLAIN_LIMITS.address, clientNetwork(request.ip));
  return byAddress.allowed && (await consumeLimit(app, EXPLAIN_LIMITS.account, String(id))).allowed;
}

// One search at a time, on its own thread: a search takes as long as hundreds of payments. The thread keeps no state,
// so all apps of a process share it.
const questions = createBatcher<ExplainOptions, Explanation>({
  maxBatch: 1,
  maxQueued: 32,
  concurrency: 1,
  flush: async ([question]) => [await ask(question as ExplainOptions)],
});

let thread: Worker | null = null;

async function ask(question: ExplainOptions): Promise<Explanation> {
  // Started when the first development request is refused; most installations in production never need it.
  thread ??= new Worker(new URL('./explain-thread.ts', import.meta.url));
  thread.unref();
  try {
    const answer = once(thread, 'message');
    thread.postMessage(question);
    const [explanation] = await withinTime(answer, LONGEST_SEARCH_MS);
    return explanation as Explanation;
  } catch (error) {
    void thread.terminate();
    thread = null;
    throw error;
  }
}

function itemOf({ code, field, fix, fixes }: Cause, language: ProgramLanguage | null): ErrorItem {
  if (!Object.hasOwn(SPANISH_CAUSES, code)) return signingItem(problem(code as SigningCode, field));
  const spanish = { ...fixes, ...SPANISH_HINTS[code as CauseCode] };
  return {
    pointer: pointerTo(field),
    code,
    message: fix,
    fix: hintIn(fixes, language),
    es: { message: SPANISH_CAUSES[code as CauseCode], fix: hintIn(spanish, language) },
  };
}

/** Returns the fix in the client's language; when that is unknown, in every language. */
function hintIn(fixes: Cause['fixes'], language: ProgramLanguage | null): string {
  const own = language === null ? undefined : fixes[language];
  return (
    own ??
    Object.entries(fixes)
      .map(([name, text]) => `${LANGUAGE_NAMES[name as ProgramLanguage]}: ${text}`)
      .join(' | ')
  );
}
