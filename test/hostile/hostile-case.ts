import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type HttpRequest = { method: string; path: string; headers: Record<string, string> } & (
  | { body: string }
  | { body_base64: string }
  | { generator: Generator }
);

export type Generator =
  | { kind: 'keys'; count: number }
  | {
      prefix?: string;
      repeat?: string;
      count?: number;
      middle?: string;
      repeat2?: string;
      count2?: number;
      suffix?: string;
    };

export type HostileRequest =
  | HttpRequest
  | { raw_base64: string }
  | { slow: { first_base64: string; drip: string; every_ms: number } }
  | { scenario: true };

export type Expectation = {
  class: 'accept' | 'reject' | 'verdict' | 'sequence' | 'scenario';
  status: number[];
  /** One code, any of several, or null for any. */
  code: string | string[] | null;
};

export type Step = {
  request: HttpRequest;
  expect: { status: number[]; code: string | null; outcome: 'created' | 'replayed' | 'conflict' | 'rejected' };
};

export type HostileCase = {
  id: string;
  endpoint: string;
  category: string;
  title: string;
  request?: HostileRequest;
  steps?: Step[];
  expect: Expectation;
};

export type Corpus = { vectors: { account: string; secret: string; token: string }; cases: HostileCase[] };

/** Reads the corpus that every implementation of this protocol is tested with. */
export function readCorpus(): Corpus {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/hostile-requests.json'), 'utf8'));
}

/** Returns the bytes of a request, with `Connection: close` if the case leaves the framing to the harness. */
export function bytesOf(request: HttpRequest): Buffer {
  const body = bodyOf(request);
  const headers = { ...request.headers, connection: 'close', 'content-length': String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

function bodyOf(request: HttpRequest): Buffer {
  if ('body' in request) return Buffer.from(request.body);
  if ('body_base64' in request) return Buffer.from(request.body_base64, 'base64');
  return Buffer.from(generate(request.generator));
}

function generate(generator: Generator): string {
  if ('kind' in generator) {
    return `{${Array.from({ length: generator.count }, (_, at) => `"k${at}":1`).join(',')}}`;
  }
  const { prefix = '', repeat = '', count = 0, middle = '', repeat2 = '', count2 = 0, suffix = '' } = generator;
  return prefix + repeat.repeat(count) + middle + repeat2.repeat(count2) + suffix;
}
