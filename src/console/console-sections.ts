import { mayAny, type Needed, type Permission, readWith } from '../auth/permission.ts';
import type { User } from '../auth/user.ts';
import { foldText } from '../lib/fold-text.ts';
import type { Language } from '../lib/language.ts';
import { type ConsoleText, tell } from './console-texts.ts';

/**
 * A section of the navigation: its path below `/console` and the permissions that open it; one is enough. `also`: other
 * paths whose screens belong to it.
 */
type Section = {
  path: string;
  also?: readonly string[];
  text: ConsoleText;
  permission: Permission | Needed;
  /** The section covers all payment services; people who see only some do not have it. */
  whole?: true;
};

type Group = { text: ConsoleText; sections: readonly Section[] };

/** THE TABLE of the navigation: the groups and their sections, in order. */
const GROUPS: readonly Group[] = [
  {
    text: 'nav.work',
    sections: [
      { path: '', text: 'nav.today', permission: 'payments:read' },
      { path: '/payments', text: 'nav.payments', permission: 'payments:read' },
      {
        path: '/refund-requests',
        text: 'above.nav',
        permission: [...readWith('refunds:approve'), 'refunds:create'],
      },
      { path: '/callbacks', text: 'nav.callbacks', permission: readWith('callbacks:resend'), whole: true },
      { path: '/mails', text: 'mails.title', permission: readWith('callbacks:resend'), whole: true },
      { path: '/attention', also: ['/suspense'], text: 'nav.attention', permission: 'books:read', whole: true },
    ],
  },
  {
    text: 'nav.shops',
    sections: [
      { path: '/merchants', text: 'nav.merchants', permission: readWith('tokens:manage') },
      { path: '/accounts', text: 'accounts.title', permission: 'books:read' },
      { path: '/settlements', text: 'settlements.title', permission: 'books:read', whole: true },
      { path: '/movements', text: 'recorded.title', permission: 'books:read', whole: true },
      { path: '/months', text: 'months.title', permission: 'books:read', whole: true },
      { path: '/requests', text: 'requests.title', permission: 'payments:read' },
    ],
  },
  {
    text: 'nav.payouts',
    sections: [
      { path: '/payouts', text: 'payouts.title', permission: 'recipients:read' },
      { path: '/batches', text: 'batches.title', permission: 'recipients:read' },
      { path: '/recipients', text: 'recipients.title', permission: 'recipients:read' },
      { path: '/bank-accounts', text: 'bank_accounts.title', permission: 'accounts:validate' },
      { path: '/payout-files', text: 'files.title', permission: 'recipients:read' },
      { path: '/statements', text: 'statements.title', permission: 'books:read' },
    ],
  },
  {
    text: 'nav.house',
    sections: [
      { path: '/staff', text: 'people.nav', permission: readWith('users:manage'), whole: true },
      {
        path: '/health',
        also: ['/restore', '/verification'],
        text: 'health.title',
        permission: readWith('payment-services:manage'),
        whole: true,
      },
      { path: '/personal-data', text: 'privacy.title', permission: 'privacy:manage', whole: true },
      { path: '/audit', text: 'nav.audit', permission: 'audit:read', whole: true },
    ],
  },
];

/**
 * Returns the name of the file of a list: the path of the list, in Spanish with the name of its section in place of the
 * first word.
 */
export function fileNameOf(language: Language, path: string): string {
  const [, first = '', ...rest] = path.split('/');
  const section = GROUPS.flatMap(({ sections }) => sections).find((one) => one.path === `/${first}`);
  const isSpanish = language === 'es' && section !== undefined;
  const name = isSpanish ? foldText(tell('es', section.text)).replace(/[^a-z0-9]+/g, '-') : first;
  return [name, ...rest].join('-');
}

/** Tells whether the screen at this path below `/console` belongs to the section. */
export function isInSection({ path, also = [] }: Section, here: string): boolean {
  if (path === '') return here === '' || here === '/';
  return [path, ...also].some((one) => here === one || here.startsWith(`${one}/`));
}

/** Returns the sections that a person may see, without empty groups. */
export function sectionsOf({ may, environmentIds }: Pick<User, 'may' | 'environmentIds'>): Group[] {
  return GROUPS.map(({ text, sections }) => ({
    text,
    sections: sections.filter(
      ({ permission, whole }) => mayAny(may, permission) && !(whole && environmentIds !== null),
    ),
  })).filter(({ sections }) => sections.length > 0);
}
