import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { FIXED_HEADERS } from '../../src/http/fixed-headers.ts';
import { answerOf } from '../support/raw-server.ts';
import { type HostileCase, readCorpus } from './hostile-case.ts';
import { replayCase } from './replay-case.ts';
import { NO_TRACES, type Target, type Traces } from './target.ts';

/** The reaction of a server to one case: the bytes of its response, what it leaves behind and what it logs. */
type Behaviour = { answer: string; left: Traces; log: string[] };

const { vectors, cases } = readCorpus();
const single = cases.filter(({ expect }) => expect.class !== 'scenario' && expect.class !== 'sequence');
const rejections = single.filter(({ expect }) => expect.class === 'reject' && !expect.status.includes(200));
const acceptances = single.filter(({ expect }) => expect.class === 'accept');
const sequences = cases.filter(({ expect }) => expect.class === 'sequence');

// Each server has exactly one fault. A harness that passes one of them would pass a product with that fault too.
const faultyServers: { name: string; mustFail: HostileCase[]; behave: (right: Behaviour) => Behaviour }[] = [
  { name: 'that accepts everything', mustFail: [...rejections, ...sequences], behave: () => accepted() },
  {
    name: 'that rejects everything',
    mustFail: [...acceptances, ...sequences],
    behave: () => rejected(400, 'INVALID_JSON'),
  },
  {
    name: 'that stores nothing',
    mustFail: acceptances.filter(({ endpoint }) => endpoint === 'POST /trxs'),
    behave: (right) => ({ ...right, left: NO_TRACES }),
  },
  {
    name: 'that answers twice',
    mustFail: single,
    behave: (right) => ({ ...right, answer: right.answer + right.answer }),
  },
  {
    name: 'that sends bytes after its answer',
    mustFail: single,
    behave: (right) => ({ ...right, answer: `${right.answer}0` }),
  },
  { name: 'that does not answer', mustFail: single, behave: (right) => ({ ...right, answer: '' }) },
  {
    name: 'that keeps an event of a rejected request',
    mustFail: rejections,
    behave: (right) => ({ ...right, left: { ...right.left, events: right.left.events + 1 } }),
  },
  {
    name: 'that makes an outbound call',
    mustFail: single,
    behave: (right) => ({ ...right, left: { ...right.left, outbound: 1 } }),
  },
  {
    name: 'that logs the secret',
    mustFail: single,
    behave: (right) => ({ ...right, log: [...right.log, `{"x":"${vectors.secret}"}`] }),
  },
  { name: 'that logs no code', mustFail: rejections, behave: (right) => ({ ...right, log: ['{"msg":"refused"}'] }) },
  {
    name: 'that logs a refusal twice',
    mustFail: rejections,
    behave: (right) => ({ ...right, log: [...right.log, ...right.log] }),
  },
  {
    name: 'that gives the right status without an error body',
    mustFail: rejections,
    behave: (right) => ({ ...right, answer: answerOf(Number(right.answer.slice(9, 12)), '', FIXED_HEADERS) }),
  },
  {
    name: 'that omits a fixed header',
    mustFail: single,
    behave: (right) => ({ ...right, answer: right.answer.replace('x-content-type-options: nosniff\r\n', '') }),
  },
  {
    name: 'that gives another code',
    mustFail: rejections.filter(({ expect }) => expect.code !== null),
    behave: (right) => ({
      ...right,
      answer: right.answer.replace(/"code":"\w+"/, '"code":"ELSE"'),
      log: ['{"code":"ELSE"}'],
    }),
  },
];

describe('the harness', () => {
  let server: StandIn;
  before(async () => {
    server = await startStandIn();
  });
  after(() => server.close());

  test('plays every case of the corpus', () => {
    assert.equal(cases.length, 277);
    assert.ok(rejections.length > 200 && acceptances.length > 15 && sequences.length === 3);
  });

  test('finds no fault in a correct server', async () => {
    const failed = await casesThat('fail', server, single, (right) => right);
    assert.deepEqual(failed, []);
  });

  for (const { name, mustFail, behave } of faultyServers) {
    test(`finds a server ${name}`, async () => {
      const passed = await casesThat('pass', server, mustFail, behave);
      assert.deepEqual(passed, []);
    });
  }
});

async function casesThat(
  end: 'pass' | 'fail',
  server: StandIn,
  cases: readonly HostileCase[],
  behave: (right: Behaviour) => Behaviour,
): Promise<string[]> {
  const found: string[] = [];
  for (const hostile of cases) {
    server.behaviour = behave(rightBehaviour(hostile));
    const faults = await replayCase(server, hostile, [vectors.secret]);
    if (faults.length > 0 === (end === 'fail')) found.push(`${hostile.id} ${faults.join('; ')}`);
  }
  return found;
}

function rightBehaviour({ endpoint, expect }: HostileCase): Behaviour {
  const [status = 200] = expect.status ?? [];
  const [code = 'ANY'] = [expect.code ?? []].flat();
  if (status >= 400) return rejected(status, code);
  const creates = expect.class === 'accept' && endpoint === 'POST /trxs';
  return accepted(creates ? { ...NO_TRACES, transactions: 1, events: 1 } : NO_TRACES);
}

function accepted(left = NO_TRACES): Behaviour {
  return {
    answer: answerOf(200, '{"data":{"idTrx":1,"verdict":"invalid","checks":[]}}', FIXED_HEADERS),
    left,
    log: [],
  };
}

function rejected(status: number, code: string): Behaviour {
  const body = JSON.stringify({ status, code, errors: [] });
  return {
    answer: answerOf(status, body, { ...FIXED_HEADERS, 'content-type': 'application/problem+json' }),
    left: NO_TRACES,
    log: [JSON.stringify({ code })],
  };
}

type StandIn = Target & { behaviour: Behaviour };

/** Starts a server that behaves as it was last told, for any request. */
async function startStandIn(): Promise<StandIn> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(standIn.behaviour.answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: StandIn = {
    behaviour: accepted(),
    port: (server.address() as AddressInfo).port,
    traces: async () => standIn.behaviour.left,
    logLines: () => standIn.behaviour.log,
    reset: async () => {},
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return standIn;
}
