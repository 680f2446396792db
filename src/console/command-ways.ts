import { mayAny, type Permission } from '../auth/permission.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import type { ConsoleVisit } from './console-visit.ts';

/** The item that waits, for commands that do not name enough to find the screen. */
type Item = { id: string; transaction: number | null };

type Way = readonly [
  command: RegExp,
  permission: Permission,
  text?: ConsoleText,
  path?: (found: readonly string[], item: Item) => string | null,
];

const ONE = '([a-z]{2}_\\w+)';

/** The list of unsent receipts below `/console`, with those that have waited longest. */
export const OLDEST_MAILS = '/mails?sort=since';

function desk(group: string | undefined): string {
  return group === 'batch' ? '/batches' : '/payouts';
}

/**
 * THE TABLE of commands that end what waits, with the permission of the people who may: most have a screen in the
 * console, which needs it.
 */
const WAYS: readonly Way[] = [
  [
    of(`(batch|payout) approve ${ONE}`),
    'payouts:approve',
    'way.approve',
    ([, group, id]) => `${desk(group)}/${id}/approve`,
  ],
  [of(`(batch|payout) reject ${ONE}`), 'payouts:approve', 'way.reject', ([, group, id]) => `${desk(group)}/${id}`],
  [of(`(batch|payout) cancel ${ONE}`), 'payouts:create', 'way.cancel', ([, group, id]) => `${desk(group)}/${id}`],
  [of('payout file '), 'payouts:create', 'way.file', () => '/payout-files/new'],
  [of('user create .*--role approver'), 'users:manage', 'way.invite', () => '/staff/invite'],
  [
    of(`refund approve ${ONE}`),
    'refunds:approve',
    'way.approve',
    ([, id], { transaction }) => (transaction === null ? null : `/payments/${transaction}/requests/${id}/approve`),
  ],
  [
    of(`refund reject ${ONE}`),
    'refunds:approve',
    'way.reject',
    (_, { transaction }) => (transaction === null ? null : `/payments/${transaction}`),
  ],
  [
    of('payment settle (\\S+) '),
    'movements:record',
    'way.settle',
    ([, id], { transaction }) => (transaction === null ? null : `/payments/${transaction}/attempts/${id}/settle`),
  ],
  [
    of('refund settle (\\S+) '),
    'movements:record',
    'way.settle',
    ([, id], { transaction }) => (transaction === null ? null : `/payments/${transaction}/refunds/${id}/settle`),
  ],
  [of('payout (settle|clear) (\\S+) '), 'movements:record', 'way.settle', ([, , id]) => `/payouts/${id}/settle`],
  [of('callback resend --endpoint '), 'callbacks:resend', 'way.resend', (_, { id }) => `/callbacks/${id}`],
  [
    of('callback resend \\d+$'),
    'callbacks:resend',
    'way.resend',
    (_, { transaction }) => (transaction === null ? null : `/payments/${transaction}`),
  ],
  [of('callback endpoints$'), 'callbacks:resend', 'way.resend', () => '/callbacks'],
  [of(`settlement accept ${ONE}`), 'movements:record', 'way.accept', ([, id]) => `/settlements/${id}`],
  [
    of(`statement resolve ${ONE} --line (\\d+)`),
    'movements:record',
    'way.explain',
    ([, id, line]) => `/statements/${id}?use=suspense&line=${line}#explain`,
  ],
  [
    of(`payment-service hand-over ${ONE} --environment (\\w+)`),
    'tokens:manage',
    'way.hand_over',
    ([, id, environment]) => `/merchants/${id}#${environment}`,
  ],
  [
    of('books resolve --transaction (\\d+) --entry (\\d+\\.\\d+) '),
    'movements:record',
    'way.decide',
    ([, id, entry]) => `/suspense/t${id}-${entry}`,
  ],
  [
    of('books resolve --entry (\\d+)/(\\d+\\.\\d+) '),
    'movements:record',
    'way.decide',
    ([, environment, entry]) => `/suspense/e${environment}-${entry}`,
  ],
  [of('release$'), 'payment-services:manage', 'way.release', () => '/restore'],
  [of('books verify$'), 'audit:read', 'way.verify', () => '/verification'],
  [of('mail resend '), 'callbacks:resend', 'way.mail', () => OLDEST_MAILS],
  [of('attention list --kind restore$'), 'payment-services:manage', 'way.release', () => '/restore'],
  [of('attention list --kind (\\w+)$'), 'books:read', 'way.attention', ([, kind]) => `/attention?kind=${kind}`],
  // An operator does not see the attention list, but has the screen that ends these items.
  [of('attention list --kind (callback|endpoint)$'), 'callbacks:resend', 'way.attention', () => '/callbacks'],
  [of('attention list --kind mail$'), 'callbacks:resend', 'way.attention', () => '/mails'],
  [of('payment-service events-url '), 'tokens:manage'],
  [of('webhook end '), 'users:manage'],
  [of('payment-service move '), 'payment-services:manage'],
  [of('backup '), 'payment-services:manage'],
];

function of(command: string): RegExp {
  return new RegExp(`^bin/rubrica ${command}`);
}

/** Shows a command, and before it a link to the screen that does the same, if there is one that the person may use. */
export function commandCell({ app, language, user }: ConsoleVisit, command: string, item: Item = NOTHING): Html {
  for (const [pattern, permission, text, path] of WAYS) {
    const found = pattern.exec(command);
    const way = found === null || !mayAny(user.may, permission) ? null : path?.(found, item);
    if (text === undefined || way === undefined || way === null) continue;
    return html`<a href="${publicPath(app)}/console${way}">${tell(language, text)}</a><details><summary>${tell(language, 'way.or')}</summary><code>${command}</code></details>`;
  }
  return html`<code>${command}</code>`;
}

/** Returns the permission of the people who may do what the command does; null for an unknown command. */
export function permissionFor(command: string): Permission | null {
  return WAYS.find(([pattern]) => pattern.test(command))?.[1] ?? null;
}

const NOTHING: Item = { id: '', transaction: null };
