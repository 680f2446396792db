import type { Language } from '../../lib/language.ts';

/** Why a shop did not accept a callback. Each code has its own fix. */
export type CauseCode =
  | 'timeout'
  | 'connect'
  | 'dns'
  | 'tls'
  | 'tls_expired'
  | 'tls_name'
  | 'tls_chain'
  | 'tls_self_signed'
  | 'tls_none'
  | 'tls_handshake'
  | 'reset'
  | 'refused_address'
  | 'too_large'
  | 'protocol'
  | 'proxy'
  | 'login'
  | 'firewall'
  | 'signature'
  | 'not_found'
  | 'not_found_since'
  | 'not_post'
  | 'moved'
  | 'redirect'
  | 'refused'
  | 'asks_login'
  | 'forbidden'
  | 'gone'
  | 'busy'
  | 'error'
  | 'other';

type Told = readonly [cause: string, fix: string];

const GATE = 'What stands before the shop, such as a firewall or a log-in, must let POST to this path pass.';
const GATE_ES =
  'Lo que está delante de la tienda, como un cortafuegos o un inicio de sesión, debe dejar pasar POST a esta ruta.';
const LOG = 'The shop looks at its own log.';
const LOG_ES = 'La tienda mira su propio registro de errores.';

/** THE TABLE: cause and fix in both languages. `{status}`, `{to}`, `{since}` and `{detail}` are filled in. */
export const CAUSES: Readonly<Record<CauseCode, Readonly<Record<Language, Told>>>> = {
  timeout: {
    en: ['no answer within 15 seconds', 'The shop answers 200 as soon as it has stored the callback.'],
    es: ['no responde en 15 segundos', 'La tienda responde 200 apenas guarda el callback, y hace el resto después.'],
  },
  connect: {
    en: ['no connection', 'Does the server of the shop run, and is its port open?'],
    es: ['no hay conexión', '¿Está encendido el servidor de la tienda, y abierto su puerto?'],
  },
  dns: {
    en: ['the name of the host is not found', 'The shop corrects its DNS, or the host in x_url_callback.'],
    es: ['el nombre del servidor no existe', 'La tienda corrige su DNS, o el nombre en x_url_callback.'],
  },
  tls: {
    en: ['its certificate is not valid', 'The shop renews its certificate, with the whole chain.'],
    es: ['su certificado no vale', 'La tienda renueva su certificado, con la cadena completa.'],
  },
  tls_expired: {
    en: ['its certificate has expired', 'The shop renews its certificate, and sees why that did not happen by itself.'],
    es: ['su certificado venció', 'La tienda renueva su certificado y revisa por qué no se renovó solo.'],
  },
  tls_name: {
    en: [
      'its certificate is for another name',
      'The shop gets a certificate for this host, or corrects the host in x_url_callback.',
    ],
    es: [
      'su certificado es de otro nombre',
      'La tienda obtiene un certificado para este servidor, o corrige el nombre en x_url_callback.',
    ],
  },
  tls_chain: {
    en: [
      'its certificate comes without its chain',
      'The shop serves the whole chain (fullchain.pem): browsers fill the gap in, servers do not.',
    ],
    es: [
      'su certificado llega sin su cadena',
      'La tienda entrega la cadena completa (fullchain.pem): los navegadores la completan, los servidores no.',
    ],
  },
  tls_self_signed: {
    en: [
      'it has signed its certificate itself',
      'The shop gets a certificate of a public authority, such as Let’s Encrypt.',
    ],
    es: [
      'firmó su certificado ella misma',
      'La tienda obtiene un certificado de una autoridad pública, como Let’s Encrypt.',
    ],
  },
  tls_none: {
    en: [
      'the port answers without TLS',
      'The shop serves https at this port, or corrects the scheme or the port in x_url_callback.',
    ],
    es: [
      'el puerto responde sin TLS',
      'La tienda atiende https en este puerto, o corrige el esquema o el puerto en x_url_callback.',
    ],
  },
  tls_handshake: {
    en: [
      'TLS fails before the certificate is seen',
      'The server of the shop accepts TLS 1.2 or 1.3 for the host in x_url_callback. Its log says why it refused.',
    ],
    es: [
      'TLS falla antes de llegar al certificado',
      'El servidor de la tienda acepta TLS 1.2 o 1.3 para el nombre en x_url_callback. Su registro dice por qué lo rechazó.',
    ],
  },
  reset: {
    en: ['the connection was cut off', 'Look at the log of the server of the shop, or of what is before it.'],
    es: ['la conexión se cortó', 'Mira el registro del servidor de la tienda, o de lo que está delante de él.'],
  },
  refused_address: {
    en: ['the address is not public', 'The shop sends a public https address as x_url_callback.'],
    es: ['la dirección no es pública', 'La tienda envía una dirección https pública como x_url_callback.'],
  },
  too_large: {
    en: ['the headers of its answer are too large', 'The shop answers 200 without a page.'],
    es: ['los encabezados de su respuesta son demasiado grandes', 'La tienda responde 200 sin página.'],
  },
  protocol: {
    en: ['its answer is not HTTP', 'Is it the right port in x_url_callback?'],
    es: ['su respuesta no es HTTP', '¿Es correcto el puerto en x_url_callback?'],
  },
  proxy: {
    en: [
      'the proxy of this service makes no connection',
      'See EGRESS_PROXY: its credentials, and whether the proxy lets CONNECT to this address pass.',
    ],
    es: [
      'el proxy de este servicio no conecta',
      'Revisa EGRESS_PROXY: sus credenciales, y si el proxy deja pasar CONNECT a esta dirección.',
    ],
  },
  login: {
    en: [
      'it answers with its log-in page',
      'The shop lets POST to this path pass without a log-in: a server has no session. The order was not handled.',
    ],
    es: [
      'responde con su página de inicio de sesión',
      'La tienda deja pasar POST a esta ruta sin iniciar sesión: un servidor no tiene sesión. La orden no se procesó.',
    ],
  },
  firewall: {
    en: [
      'a firewall answers and not the shop ({detail})',
      'The shop lets POST to this path pass its firewall, with the user agent Rubrica.',
    ],
    es: [
      'responde un cortafuegos y no la tienda ({detail})',
      'La tienda deja pasar POST a esta ruta por su cortafuegos, con el agente Rubrica.',
    ],
  },
  signature: {
    en: [
      'it refuses the signature ({status})',
      'The shop checks the signature over the raw body, with the Secret Token of this environment, in lower case.',
    ],
    es: [
      'rechaza la firma ({status})',
      'La tienda comprueba la firma sobre el cuerpo tal como llega, con el Secret Token de este ambiente, en minúsculas.',
    ],
  },
  not_found: {
    en: ['there is no such page (404)', 'The shop puts its page back, or corrects x_url_callback.'],
    es: ['no existe esa página (404)', 'La tienda repone su página, o corrige x_url_callback.'],
  },
  not_found_since: {
    en: [
      'the page is gone since {since} (404): it answered before',
      'A deploy of about that time has moved it. The shop puts the page back, or sends its new address as x_url_callback.',
    ],
    es: [
      'la página no está desde el {since} (404): antes respondía',
      'Un despliegue de esa hora la movió. La tienda repone la página, o envía su nueva dirección como x_url_callback.',
    ],
  },
  not_post: {
    en: ['the page takes no POST (405)', 'The shop takes POST at this path, or corrects x_url_callback.'],
    es: ['la página no acepta POST (405)', 'La tienda acepta POST en esta ruta, o corrige x_url_callback.'],
  },
  moved: {
    en: [
      'it has moved ({status}) to {to}',
      'The shop sends its new address as x_url_callback: no redirect is followed.',
    ],
    es: [
      'se trasladó ({status}) a {to}',
      'La tienda envía su nueva dirección como x_url_callback: no se sigue ninguna redirección.',
    ],
  },
  redirect: {
    en: ['a redirect ({status})', 'The shop sends its new address as x_url_callback: no redirect is followed.'],
    es: [
      'una redirección ({status})',
      'La tienda envía su nueva dirección como x_url_callback: no se sigue ninguna redirección.',
    ],
  },
  refused: {
    en: [
      'the shop refuses it ({status})',
      'The shop looks at its own log: this order, its amount and its Secret Token. Then send the callback again.',
    ],
    es: [
      'la tienda lo rechaza ({status})',
      'La tienda mira su registro: esta orden, su monto y su Secret Token. Después reenvía el callback.',
    ],
  },
  asks_login: { en: ['a log-in is asked for (401)', GATE], es: ['pide iniciar sesión (401)', GATE_ES] },
  forbidden: { en: ['it is forbidden (403)', GATE], es: ['está prohibido (403)', GATE_ES] },
  gone: {
    en: ['the shop wants nothing more here (410)', 'Send its callbacks again when it does: that enables the endpoint.'],
    es: [
      'la tienda no quiere nada más aquí (410)',
      'Reenvía sus callbacks cuando los quiera: eso habilita la dirección.',
    ],
  },
  busy: {
    en: ['the shop is asked too often (429)', 'The shop lets this service pass its limit.'],
    es: ['la tienda dice que son demasiados (429)', 'La tienda exime a este servicio de su límite.'],
  },
  error: { en: ['an error of the shop ({status})', LOG], es: ['un error de la tienda ({status})', LOG_ES] },
  other: { en: ['answered {status}', LOG], es: ['respondió {status}', LOG_ES] },
};
