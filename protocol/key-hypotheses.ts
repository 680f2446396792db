import type { CauseCode } from './signature-causes.ts';
import { type Draft, digestOf, type Hypothesis, hmacOf, type Recipe, withSecret } from './signing-draft.ts';

/** Another secret of the same payment service, and its relation to the one in use. */
export type OtherSecret = { label: 'other-environment' | 'rotated' | 'other'; secret: string };

/** Lists hypotheses about another key or another algorithm, for any message. */
export function keyHypotheses(serviceToken: string, otherSecrets: readonly OtherSecret[]): Hypothesis[] {
  return [
    ...otherSecrets.map(({ label, secret }) => ofSecret(LABEL_CODES[label], () => secret)),
    ...SECRET_CHANGES.map(([code, change]) => ofSecret(code, change)),
    ofSecret('SERVICE_TOKEN_AS_SECRET', () => serviceToken),
    ...RECIPES.map(([code, recipe]): Hypothesis => ({ code, field: null, apply: (draft) => ({ ...draft, recipe }) })),
  ];
}

const LABEL_CODES: Record<OtherSecret['label'], CauseCode> = {
  'other-environment': 'SECRET_OF_OTHER_ENVIRONMENT',
  rotated: 'SECRET_ROTATED',
  other: 'OTHER_SECRET',
};

type SecretChange = (secret: string) => string | Uint8Array;

const SECRET_CHANGES: readonly [CauseCode, SecretChange][] = [
  ['SECRET_WITH_WHITESPACE', (secret) => `${secret}\n`],
  ['SECRET_WITH_WHITESPACE', (secret) => `${secret}\r\n`],
  ['SECRET_WITH_WHITESPACE', (secret) => `${secret} `],
  ['SECRET_WITH_WHITESPACE', (secret) => ` ${secret}`],
  ['SECRET_WITH_WHITESPACE', (secret) => secret.trim()],
  ['SECRET_WITH_WHITESPACE', (secret) => `\ufeff${secret}`],
  ['SECRET_WITH_QUOTES', (secret) => `"${secret}"`],
  ['SECRET_WITH_QUOTES', (secret) => `'${secret}'`],
  ['SECRET_DECODED', (secret) => (/^(?:[0-9a-f]{2})+$/i.test(secret) ? Buffer.from(secret, 'hex') : secret)],
  ['SECRET_DECODED', (secret) => (/^[\w+/-]+={0,2}$/.test(secret) ? Buffer.from(secret, 'base64') : secret)],
  ['SECRET_ENCODED', (secret) => Buffer.from(secret).toString('base64')],
  ['SECRET_ENCODED', (secret) => Buffer.from(secret).toString('hex')],
  ['SECRET_ENCODED', (secret) => hexOf(digestOf('sha256', secret))],
  ['SECRET_ENCODED', (secret) => digestOf('sha256', secret)],
  ['SECRET_ENCODED', (secret) => hexOf(digestOf('md5', secret))],
  ['SECRET_CASE_CHANGED', (secret) => secret.toLowerCase()],
  ['SECRET_CASE_CHANGED', (secret) => secret.toUpperCase()],
  ['SECRET_EMPTY', () => ''],
];

function ofSecret(code: CauseCode, change: SecretChange): Hypothesis {
  const apply = (draft: Draft): Draft | null => {
    if (typeof draft.secret !== 'string') return null;
    const secret = change(draft.secret);
    return secret === draft.secret ? null : withSecret(draft, secret);
  };
  return { code, field: null, apply };
}

const RECIPES: readonly [CauseCode, Recipe][] = [
  ['HASH_WITHOUT_KEY', (hash, message) => digestOf(hash, message)],
  ['KEY_AND_MESSAGE_SWAPPED', (hash, message, secret) => hmacOf(hash, message, secret)],
  ['SECRET_IN_MESSAGE', (hash, message, secret) => digestOf(hash, secret, message)],
  ['SECRET_IN_MESSAGE', (hash, message, secret) => digestOf(hash, message, secret)],
  ['SECRET_IN_MESSAGE', (hash, message, secret) => hmacOf(hash, secret, message, secret)],
  ['SECRET_IN_MESSAGE', (hash, message, secret) => hmacOf(hash, secret, secret, message)],
  ['MESSAGE_HASHED_FIRST', (hash, message, secret) => hmacOf(hash, secret, hexOf(digestOf(hash, message)))],
  ['MESSAGE_HASHED_FIRST', (hash, message, secret) => hmacOf(hash, secret, digestOf(hash, message))],
];

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
