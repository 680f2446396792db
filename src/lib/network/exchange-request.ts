import type { Dispatcher, Pool } from 'undici';
import { DialError } from './dial-address.ts';

export type ExchangeRequest = {
  path: string;
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body: string | Buffer | null;
};

/**
 * The response, or the reason why no response came. `detail` is a stable code, never text from the server. `location`
 * is the target of a redirect (3xx) as sent, at most 2,048 characters.
 */
export type Exchange =
  | { kind: 'answered'; status: number; retryAfter: string | null; excerpt: string; location?: string }
  | { kind: 'failed'; reason: FailureReason; detail: string };

export type FailureReason =
  | 'dns'
  | 'refused_address'
  | 'connect'
  | 'timeout'
  | 'tls'
  | 'reset'
  | 'too_large'
  | 'protocol';

const maxBodyBytes = 16_384;
const excerptBytes = 2_048;
const maxLocation = 2_048;
const protocolErrors = new Set(['HTTPParserError', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_INVALID_ARG']);

/**
 * Sends one request over a pool and reads its response, in at most `timeoutMs` overall. Never rejects.
 *
 * Reads at most 16 KiB of a body, then closes the connection. Such a response counts, because its status is enough.
 */
export function exchangeRequest(pool: Pool, request: ExchangeRequest, timeoutMs: number): Promise<Exchange> {
  return new Promise((resolve) => {
    let control: Dispatcher.DispatchController | null = null;
    let settled = false;
    let status = 0;
    let retryAfter: string | null = null;
    let location: string | undefined;
    let bodyBytes = 0;
    const bodyStart: Buffer[] = [];
    const timer = setTimeout(() => abandon({ kind: 'failed', reason: 'timeout', detail: 'ETIMEDOUT' }), timeoutMs);

    function settle(exchange: Exchange): void {
      settled = true;
      clearTimeout(timer);
      resolve(exchange);
    }

    /** Settles and closes the connection. */
    function abandon(exchange: Exchange): void {
      settle(exchange);
      control?.abort(new Error('abandoned'));
    }

    function answer(): Exchange {
      const answered = { kind: 'answered', status, retryAfter, excerpt: readableExcerpt(bodyStart) } as const;
      return location === undefined ? answered : { ...answered, location };
    }

    pool.dispatch(request, {
      onRequestStart(controller) {
        control = controller;
        // The request timed out while connecting. It was reported as failed, so it must not be sent now.
        if (settled) controller.abort(new Error('abandoned'));
      },
      onResponseStart(_controller, statusCode, headers) {
        // Informational responses (1xx) come before the real one, each with its own headers.
        status = statusCode;
        retryAfter = [headers['retry-after']].flat()[0] ?? null;
        if (status >= 300 && status < 400) location = readLocation(headers['location']);
      },
      onResponseData(_controller, chunk) {
        if (bodyBytes < excerptBytes) bodyStart.push(chunk);
        bodyBytes += chunk.length;
        if (bodyBytes > maxBodyBytes) abandon(answer());
      },
      onResponseEnd() {
        settle(answer());
      },
      onResponseError(_controller, error) {
        if (!settled) settle(failureOf(error));
      },
    });
  });
}

function readLocation(header: string | string[] | undefined): string | undefined {
  const first = [header].flat()[0];
  return first === undefined ? undefined : readable(first.slice(0, maxLocation));
}

/** The first 2 KiB as text. */
function readableExcerpt(chunks: Buffer[]): string {
  if (chunks.length === 0) return '';
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  return readable(bytes.toString('utf8', 0, excerptBytes));
}

/** Drops control characters: PostgreSQL stores no NUL, and a terminal obeys escapes. */
function readable(text: string): string {
  return text.replace(/(?![\t\n\r])\p{Cc}/gu, '\uFFFD');
}

function failureOf(error: Error & { code?: string }): Exchange {
  const detail = error instanceof DialError ? error.message : (error.code ?? error.name);
  return { kind: 'failed', reason: failureReason(error, detail), detail };
}

function failureReason(error: Error, code: string): FailureReason {
  if (error instanceof DialError) return error.reason;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large';
  return protocolErrors.has(code) ? 'protocol' : 'reset';
}
