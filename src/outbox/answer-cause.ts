import { isMove } from './redirect.ts';

/** What came of an attempt, as it is stored. `failure` is a reason and a code, such as `timeout: ETIMEDOUT`. */
export type StoredAnswer = { status: number | null; failure: string | null; location: string | null };

/** Why the shop was not told, in a sentence, and what ends it. */
export type Cause = { cause: string; fix: string };

/** By the reason of a failure, which came before any answer. */
const FAILURES: Readonly<Record<string, Cause>> = {
  timeout: { cause: 'no answer within 15 seconds', fix: 'The shop answers 200 as soon as it has stored the callback.' },
  connect: { cause: 'no connection', fix: 'Does the server of the shop run, and is its port open?' },
  dns: { cause: 'the name of the host is not found', fix: 'The shop corrects its DNS, or the host in x_url_callback.' },
  tls: { cause: 'its certificate is not valid', fix: 'The shop renews its certificate, with the whole chain.' },
  reset: {
    cause: 'the connection was cut off',
    fix: 'Look at the log of the server of the shop, or of what is before it.',
  },
  refused_address: {
    cause: 'the address is not public',
    fix: 'The shop sends a public https address as x_url_callback.',
  },
  too_large: { cause: 'the headers of its answer are too large', fix: 'The shop answers 200 without a page.' },
  protocol: { cause: 'its answer is not HTTP', fix: 'Is it the right port in x_url_callback?' },
};

const PROXY: Cause = {
  cause: 'the proxy of this service makes no connection',
  fix: 'See EGRESS_PROXY: its credentials, and whether the proxy lets CONNECT to this address pass.',
};

const GATE = 'What stands before the shop, such as a firewall or a log-in, must let POST to this path pass.';
const REFUSED =
  'The shop looks at its own log: this order, its amount and its Secret Token. Then send the callback again.';

/** By the status. What is in none of the lists has a sentence of its own below. */
const STATUSES: Readonly<Record<number, Cause>> = {
  400: { cause: 'the shop refuses it (400)', fix: REFUSED },
  401: { cause: 'a log-in is asked for (401)', fix: GATE },
  403: { cause: 'it is forbidden (403)', fix: GATE },
  404: { cause: 'there is no such page (404)', fix: 'The shop puts its page back, or corrects x_url_callback.' },
  405: { cause: 'the page takes no POST (405)', fix: 'The shop takes POST at this path, or corrects x_url_callback.' },
  409: { cause: 'the shop refuses it (409)', fix: REFUSED },
  410: {
    cause: 'the shop wants nothing more here (410)',
    fix: 'Send one again when it does: that enables the endpoint.',
  },
  422: { cause: 'the shop refuses it (422)', fix: REFUSED },
  429: { cause: 'the shop is asked too often (429)', fix: 'The shop lets this service pass its limit.' },
};

/** What an answer says, and what to do; null for one that is in order. `url` is what was posted to. */
export function causeOf(url: string, { status, failure, location }: StoredAnswer): Cause | null {
  if (failure?.startsWith('connect: EPROXY')) return PROXY;
  if (failure !== null)
    return FAILURES[failure.split(':')[0] as string] ?? { cause: failure, fix: 'Look at the shop.' };
  if (status === null || (status >= 200 && status < 300)) return null;
  if (status >= 300 && status < 400) return causeOfRedirect(url, status, location);
  const known = STATUSES[status];
  if (known !== undefined) return known;
  if (status >= 500) return { cause: `an error of the shop (${status})`, fix: 'The shop looks at its own log.' };
  return { cause: `answered ${status}`, fix: 'The shop looks at its own log.' };
}

function causeOfRedirect(url: string, status: number, location: string | null): Cause | null {
  if ((status === 302 || status === 303) && !isMove(url, location)) return null;
  const cause = location === null ? `a redirect (${status})` : `it has moved (${status}) to ${location}`;
  return { cause, fix: 'The shop sends its new address as x_url_callback: no redirect is followed.' };
}
