import { type ByteExchange, exchangeBytes, LAST_REQUEST, type RawAnswer } from './exchange-bytes.ts';
import { headerFaults } from './header-faults.ts';
import { bytesOf, type Expectation, type HostileCase, type HostileRequest, type Step } from './hostile-case.ts';
import { NO_TRACES, type Target, type Traces } from './target.ts';

/** A created transaction leaves its row and its first event. The callback comes with the payment. */
const CREATED: Traces = { ...NO_TRACES, transactions: 1, events: 1 };

/** Replays one case against a target. Returns a line for each disagreement. */
export async function replayCase(target: Target, hostile: HostileCase, secrets: readonly string[]): Promise<string[]> {
  await target.reset();
  if (hostile.steps !== undefined) return replaySteps(target, hostile.steps);
  if (hostile.request === undefined || hostile.expect.class === 'scenario') return ['it cannot be replayed'];
  const exchange = await send(target, hostile.request);
  const [answer] = exchange.answers;
  if (answer === undefined) return [`no answer came, but ${JSON.stringify(exchange.rest.slice(0, 200))}`];
  return [
    ...judgeFraming(exchange),
    ...headerFaults(answer),
    ...judgeAnswer(answer, hostile.expect),
    ...judgeVerdict(answer, hostile),
    ...judgeTraces(await target.traces(), tracesExpected(hostile)),
    ...judgeLog(target.logLines(), answer, secrets),
  ];
}

function send(target: Target, request: HostileRequest): Promise<ByteExchange> {
  if ('raw_base64' in request) {
    const bytes = Buffer.from(request.raw_base64, 'base64');
    return exchangeBytes(target.port, closesItself(bytes) ? bytes : Buffer.concat([bytes, Buffer.from(LAST_REQUEST)]));
  }
  if ('slow' in request) {
    const { first_base64, drip, every_ms } = request.slow;
    // The case's pace, scaled to the target's shortened time-outs.
    return exchangeBytes(target.port, Buffer.from(first_base64, 'base64'), {
      drip: { text: drip, everyMs: every_ms / 20 },
    });
  }
  if ('scenario' in request) throw new Error('A scenario has a separate test');
  return exchangeBytes(target.port, bytesOf(request));
}

/** Whether the connection closes without `LAST_REQUEST`; HTTP/0.9 has no second request. */
function closesItself(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return /^connection: (?:.*, )?close\r?$/im.test(text) || !text.slice(0, text.indexOf('\n')).includes(' HTTP/1.');
}

/** Checks for exactly one response. If the connection stayed open, the response to the last request follows it. */
function judgeFraming({ answers, rest }: ByteExchange): string[] {
  const others = answers.slice(1).filter((answer) => answer.body !== '{"status":"ok"}');
  return [
    ...(others.length > 0 || answers.length > 2
      ? [`${answers.length} answers came: ${answers.map(({ status }) => status).join(', ')}`]
      : []),
    ...(rest === '' ? [] : [`bytes follow that are no answer: ${JSON.stringify(rest.slice(0, 100))}`]),
  ];
}

function judgeAnswer(answer: RawAnswer, expect: Pick<Expectation, 'status' | 'code'>): string[] {
  const faults: string[] = [];
  if (!expect.status.includes(answer.status))
    faults.push(`status ${answer.status}, not ${expect.status.join(' or ')}: ${answer.body.slice(0, 200)}`);
  if (answer.status < 400) return faults;
  const problem = readProblem(answer);
  if (problem === null) return [...faults, `no problem in the error format: ${answer.body.slice(0, 200)}`];
  if (problem.status !== answer.status) faults.push(`the body says ${problem.status}`);
  const codes = typeof expect.code === 'string' ? [expect.code] : expect.code;
  const given = [problem.code, ...problem.errors.map(({ code }) => code)];
  if (codes !== null && !codes.some((code) => given.includes(code)))
    faults.push(`code ${given.join(', ')}, not ${codes.join(' or ')}`);
  return faults;
}

type ProblemOnTheWire = { status: number; code: string; errors: { code: string }[] };

function readProblem({ headers, body }: RawAnswer): ProblemOnTheWire | null {
  if (!headers['content-type']?.[0]?.startsWith('application/problem+json')) return null;
  const { status, code, errors } = JSON.parse(body);
  return typeof code === 'string' && Array.isArray(errors) ? { status, code, errors } : null;
}

/**
 * Checks that a validation answered with 200 does not call the account good; if zeros were added, a warning is enough.
 */
function judgeVerdict(answer: RawAnswer, { id, expect }: HostileCase): string[] {
  const judged = expect.class === 'verdict' || (expect.class === 'reject' && expect.status.includes(200));
  if (!judged || answer.status !== 200) return [];
  const { verdict, checks } = JSON.parse(answer.body).data;
  const warned = checks.some(({ result }: { result: string }) => result !== 'pass');
  const tolerated = ['B072', 'B097'].includes(id) && verdict !== 'confirmed' && warned;
  return verdict === 'invalid' || tolerated ? [] : [`verdict ${verdict}`];
}

function tracesExpected({ endpoint, expect }: HostileCase): Traces {
  return expect.class === 'accept' && endpoint === 'POST /trxs' ? CREATED : NO_TRACES;
}

function judgeTraces(left: Traces, expected: Traces): string[] {
  return JSON.stringify(left) === JSON.stringify(expected) ? [] : [`it left ${JSON.stringify(left)}`];
}

/** Checks that a refusal logs one line with its code, and that no line has a secret of the request. */
function judgeLog(lines: readonly string[], answer: RawAnswer, secrets: readonly string[]): string[] {
  const leaks = secrets.filter((secret) => lines.some((line) => line.includes(secret)));
  const faults = leaks.map((secret) => `the log holds ${secret}`);
  const problem = answer.status >= 400 ? readProblem(answer) : null;
  if (problem === null) return faults;
  const named = lines.filter((line) => JSON.parse(line).code === problem.code);
  return named.length === 1 ? faults : [...faults, `${named.length} log lines name ${problem.code}`];
}

async function replaySteps(target: Target, steps: readonly Step[]): Promise<string[]> {
  const faults: string[] = [];
  let createdId: number | null = null;
  for (const [at, { request, expect }] of steps.entries()) {
    const { answers } = await exchangeBytes(target.port, bytesOf(request));
    const [answer] = answers;
    if (answer === undefined) return [...faults, `step ${at + 1}: no answer`];
    const id = JSON.parse(answer.body).data?.idTrx ?? null;
    const replayed = answer.headers['idempotency-hit']?.[0] === 'true';
    if (expect.outcome === 'created') createdId = id;
    else if (id !== createdId) faults.push(`step ${at + 1}: id ${id}, not ${createdId}`);
    if (replayed !== (expect.outcome === 'replayed')) faults.push(`step ${at + 1}: Idempotency-Hit is ${replayed}`);
    faults.push(...judgeAnswer(answer, expect).map((fault) => `step ${at + 1}: ${fault}`));
  }
  return [...faults, ...judgeTraces(await target.traces(), CREATED)];
}
