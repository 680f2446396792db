const LOG_IN = 'Log in with POST /users/login or POST /loginToken and send the access token as Authorization: Bearer.';

/** Ours have about 300 characters; nothing much longer is worth reading. */
const LONGEST = 1024;
const SHAPES: readonly { shape: RegExp; says: string }[] = [
  { shape: /^$/, says: `The header is empty. ${LOG_IN}` },
  { shape: /^bearer$/i, says: 'Nothing follows the word Bearer: is the variable with the access token set?' },
  { shape: /^basic(?: |$)/i, says: `This is Basic authentication, which is not taken here. ${LOG_IN}` },
  {
    shape: /^api_/,
    says: 'This has the form of an API token: exchange it at POST /loginToken, and send the access token that comes back.',
  },
  {
    shape: /^[0-9a-f]{64}$/i,
    says: `This has the form of a Secret Token or a Service Token, which belong to signed requests. ${LOG_IN} If it was a Secret Token, others may have read it on the way: rotate it.`,
  },
  {
    shape: /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i,
    says: `This has the form of a private token of the beta, which is no longer taken. ${LOG_IN}`,
  },
  { shape: /[\s,]/, says: `There is more than one word here. ${LOG_IN}` },
];

/**
 * What is wrong with the value of `Authorization`, told from its form alone. It says nothing of what is in the store, and
 * quotes nothing of what was sent. `now` is UTC milliseconds.
 */
export function describeToken(authorization: string, now: number): string {
  if (authorization.length > LONGEST) return `This is longer than any access token. ${LOG_IN}`;
  const token = authorization.trim().replace(/^bearer +/i, '');
  const known = SHAPES.find(({ shape }) => shape.test(token));
  if (known !== undefined) return known.says;
  if (token.startsWith('eyJ')) return describeJwt(token, now);
  return `This has not the form of an access token. ${LOG_IN}`;
}

/** A signature with HS256 has 43 characters. */
const SIGNATURE_LENGTH = 43;

function describeJwt(token: string, now: number): string {
  const [head = '', claims, signature, ...more] = token.split('.');
  const { alg } = readPart(head);
  if (more.length > 0) return `This has more than the three parts of an access token. ${LOG_IN}`;
  if (claims === undefined || signature === undefined || (alg === 'HS256' && signature.length < SIGNATURE_LENGTH))
    return 'This access token is truncated: send all three parts, as they came.';
  if (alg !== 'HS256') return `Another service issued this token. ${LOG_IN}`;
  const { exp } = readPart(claims);
  if (typeof exp === 'number' && exp * 1000 <= now) return `This access token has expired. ${LOG_IN}`;
  return `This access token was changed on the way, was revoked, or comes from another installation. ${LOG_IN}`;
}

/** The members of a part of a JWT; none where it cannot be read. */
function readPart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
