import type { InBoth } from '../../error-catalogue.ts';
import { parseObject } from '../../lib/parse-object.ts';

const LOG_IN = {
  en: 'Log in with POST /users/login or POST /loginToken and send the access token as Authorization: Bearer.',
  es: 'Inicia sesión con POST /users/login o POST /loginToken y envía el token de acceso como Authorization: Bearer.',
};

/** Our tokens have about 300 characters; much longer text is not read. */
const LONGEST = 1024;
const SHAPES: readonly { shape: RegExp; says: InBoth }[] = [
  { shape: /^$/, says: thenLogIn('The header is empty.', 'El encabezado está vacío.') },
  {
    shape: /^bearer$/i,
    says: {
      en: 'Nothing follows the word Bearer: is the variable with the access token set?',
      es: 'Después de Bearer no viene nada: ¿está definida la variable con el token de acceso?',
    },
  },
  {
    shape: /^basic(?: |$)/i,
    says: thenLogIn(
      'This is Basic authentication, which is not taken here.',
      'Esto es autenticación Basic, que aquí no se acepta.',
    ),
  },
  {
    shape: /^api_/,
    says: {
      en: 'This has the form of an API token: exchange it at POST /loginToken, and send the access token that comes back.',
      es: 'Esto tiene la forma de un token de API: cámbialo en POST /loginToken y envía el token de acceso que te responde.',
    },
  },
  {
    shape: /^[0-9a-f]{64}$/i,
    says: {
      en: `This has the form of a Secret Token or a Service Token, which belong to signed requests. ${LOG_IN.en} If it was a Secret Token, others may have read it on the way: rotate it.`,
      es: `Esto tiene la forma de un Secret Token o un Service Token, que son de las solicitudes firmadas. ${LOG_IN.es} Si era un Secret Token, otros pueden haberlo leído en el camino: cámbialo.`,
    },
  },
  {
    shape: /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i,
    says: thenLogIn(
      'This has the form of a private token of the beta, which is no longer taken.',
      'Esto tiene la forma de un token privado de la beta, que ya no se acepta.',
    ),
  },
  { shape: /[\s,]/, says: thenLogIn('There is more than one word here.', 'Aquí hay más de una palabra.') },
];

/**
 * Returns what is wrong with the value of `Authorization`, judged by its form only. Reveals nothing about the store and
 * repeats nothing that was sent. `now`: UTC milliseconds.
 */
export function describeToken(authorization: string, now: number): InBoth {
  if (authorization.length > LONGEST)
    return thenLogIn('This is longer than any access token.', 'Esto es más largo que cualquier token de acceso.');
  const token = authorization.trim().replace(/^bearer +/i, '');
  const known = SHAPES.find(({ shape }) => shape.test(token));
  if (known !== undefined) return known.says;
  if (token.startsWith('eyJ')) return describeJwt(token, now);
  return thenLogIn('This does not have the form of an access token.', 'Esto no tiene la forma de un token de acceso.');
}

/** A signature with HS256 has 43 characters. */
const SIGNATURE_LENGTH = 43;

function describeJwt(token: string, now: number): InBoth {
  const [head = '', claims, signature, ...more] = token.split('.');
  const { alg } = readPart(head);
  if (more.length > 0)
    return thenLogIn(
      'This has more than the three parts of an access token.',
      'Esto tiene más que las tres partes de un token de acceso.',
    );
  if (claims === undefined || signature === undefined || (alg === 'HS256' && signature.length < SIGNATURE_LENGTH))
    return {
      en: 'This access token is truncated: send all three parts, as they came.',
      es: 'Este token de acceso está cortado: envía sus tres partes, tal como llegaron.',
    };
  if (alg !== 'HS256') return thenLogIn('Another service issued this token.', 'Este token lo emitió otro servicio.');
  const { exp } = readPart(claims);
  if (typeof exp === 'number' && exp * 1000 <= now)
    return thenLogIn('This access token has expired.', 'Este token de acceso venció.');
  return thenLogIn(
    'This access token was changed on the way, was revoked, or comes from another installation.',
    'Este token de acceso se alteró en el camino, se revocó o es de otra instalación.',
  );
}

function thenLogIn(en: string, es: string): InBoth {
  return { en: `${en} ${LOG_IN.en}`, es: `${es} ${LOG_IN.es}` };
}

/** Returns the members of a part of a JWT; an empty object if it is not readable. */
function readPart(part: string): Record<string, unknown> {
  return parseObject(Buffer.from(part, 'base64url').toString('utf8')) ?? {};
}
