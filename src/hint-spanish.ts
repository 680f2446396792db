import type { CauseCode, ProgramLanguage } from '../protocol/signature-causes.ts';

/**
 * The language-specific fixes, as in `FIXES` in English. Fixes that are missing here are code, and the same in both
 * languages.
 */
export const SPANISH_HINTS: Readonly<Partial<Record<CauseCode, Partial<Record<ProgramLanguage, string>>>>> = {
  SECRET_OF_OTHER_ENVIRONMENT: {
    php: "Carga los dos del mismo lugar: getenv('SERVICE_TOKEN') y getenv('SECRET_TOKEN').",
    js: 'Carga los dos del mismo lugar: const { SERVICE_TOKEN, SECRET_TOKEN } = env.',
    python: "Carga los dos del mismo lugar: os.environ['SERVICE_TOKEN'] y os.environ['SECRET_TOKEN'].",
    ruby: "Carga los dos del mismo lugar: ENV['SERVICE_TOKEN'] y ENV['SECRET_TOKEN'].",
  },
  SECRET_ROTATED: {
    php: 'Recarga PHP-FPM después de cambiar el secreto: opcache y el entorno guardan el anterior.',
    js: 'Reinicia el proceso después de cambiar el secreto: Node lee su entorno una sola vez.',
    python: 'Reinicia los workers después de cambiar el secreto: os.environ se lee una sola vez.',
    ruby: 'Reinicia el servidor después de cambiar el secreto: ENV se lee una sola vez.',
  },
  OTHER_SECRET: {
    php: 'Compara hash("sha256", $secret) en el programa con el hash del secreto correcto.',
    js: "Compara createHash('sha256').update(secret).digest('hex') en el programa con el hash del secreto correcto.",
    python: 'Compara hashlib.sha256(secret.encode()).hexdigest() en el programa con el hash del secreto correcto.',
    ruby: 'Compara Digest::SHA256.hexdigest(secret) en el programa con el hash del secreto correcto.',
  },
  SERVICE_TOKEN_AS_SECRET: {
    php: "hash_hmac('sha256', $message, $secretToken), no $serviceToken.",
    js: "createHmac('sha256', secretToken), no serviceToken.",
    python: 'hmac.new(secret_token.encode(), ...), no service_token.',
    ruby: "OpenSSL::HMAC.hexdigest('SHA256', secret_token, message), no service_token.",
  },
  SECRET_WITH_QUOTES: {
    js: 'Escribe SECRET=abc sin comillas, o lee el archivo con un lector de ese formato.',
  },
  SECRET_DECODED: {
    php: 'Quita hex2bin y base64_decode.',
    js: "createHmac('sha256', secret), sin Buffer.from(secret, 'hex').",
    python: 'secret.encode(), no bytes.fromhex(secret).',
    ruby: "Quita [secret].pack('H*') y Base64.decode64.",
  },
  SECRET_ENCODED: {
    php: 'Quita bin2hex, base64_encode, md5 y hash alrededor del secreto.',
    js: "createHmac('sha256', secret) con el texto mismo.",
    python: 'secret.encode() y nada alrededor.',
    ruby: 'Quita Base64.encode64 y Digest alrededor del secreto.',
  },
  SECRET_CASE_CHANGED: {
    php: 'Quita strtolower y strtoupper.',
    js: 'Quita toLowerCase y toUpperCase.',
    python: 'Quita lower() y upper().',
    ruby: 'Quita downcase y upcase.',
  },
  SECRET_EMPTY: {
    php: "Detente cuando getenv('SECRET_TOKEN') es false.",
    js: 'Detente cuando SECRET_TOKEN es undefined.',
    python: "os.environ['SECRET_TOKEN'] falla a la vista; os.environ.get no.",
    ruby: "ENV.fetch('SECRET_TOKEN') falla a la vista; ENV[] no.",
  },
  SIGNATURE_IN_UPPER_CASE: {
    php: 'hash_hmac ya escribe minúsculas; quita strtoupper.',
    js: "digest('hex') ya escribe minúsculas; quita toUpperCase.",
    python: 'hexdigest() ya escribe minúsculas; quita upper().',
    ruby: 'hexdigest ya escribe minúsculas; quita upcase.',
  },
  SIGNATURE_IN_BASE64: {
    php: "hash_hmac('sha256', $message, $secret), sin el cuarto argumento y sin base64_encode.",
    js: "digest('hex') en lugar de digest('base64').",
    python: 'hexdigest() en lugar de base64.b64encode(digest()).',
    ruby: 'OpenSSL::HMAC.hexdigest en lugar de Base64.encode64(OpenSSL::HMAC.digest(...)).',
  },
  SIGNATURE_WITH_PREFIX: {
    php: "hash_hmac('sha256', $message, $secret) tal como sale.",
    js: "digest('hex') tal como sale.",
    python: 'hexdigest() tal como sale.',
    ruby: 'hexdigest tal como sale.',
  },
  SIGNATURE_ENCODED_TWICE: {
    php: 'hash_hmac ya devuelve hexadecimal; quita bin2hex y base64_encode.',
    js: "digest('hex') es la firma; quita Buffer.from(...).toString.",
    python: 'hexdigest() es la firma; quita .encode().hex() y b64encode.',
    ruby: "hexdigest es la firma; quita unpack('H*') y Base64.",
  },
  HASH_WITHOUT_KEY: {
    php: "hash_hmac('sha256', $message, $secret) en lugar de hash('sha256', $message).",
    js: "createHmac('sha256', secret) en lugar de createHash('sha256').",
    python: 'hmac.new(secret.encode(), message.encode(), hashlib.sha256) en lugar de hashlib.sha256(message).',
    ruby: 'OpenSSL::HMAC en lugar de Digest::SHA256.',
  },
  KEY_AND_MESSAGE_SWAPPED: {
    php: "hash_hmac('sha256', $message, $secret): el mensaje va primero.",
    js: "createHmac('sha256', secret).update(message): el secreto va primero.",
    python: 'hmac.new(secret, message, hashlib.sha256): el secreto va primero.',
    ruby: "OpenSSL::HMAC.hexdigest('SHA256', secret, message): el secreto va primero.",
  },
  SECRET_IN_MESSAGE: {
    php: "hash_hmac('sha256', $message, $secret), sin unir nada a $message.",
    js: "createHmac('sha256', secret).update(message), una vez.",
    python: 'hmac.new(secret.encode(), message.encode(), hashlib.sha256), sin unir nada a message.',
    ruby: "OpenSSL::HMAC.hexdigest('SHA256', secret, message), sin unir nada a message.",
  },
  MESSAGE_HASHED_FIRST: {
    php: "Quita hash('sha256', $message).",
    js: "Quita createHash('sha256').",
    python: 'Quita hashlib.sha256(message).',
    ruby: 'Quita Digest::SHA256.',
  },
  FIELDS_SORTED_BY_VALUE: {
    php: 'ksort($fields), no sort ni asort.',
    js: 'Object.keys(fields).sort(), no Object.values(fields).sort().',
    python: 'sorted(fields), no sorted(fields, key=fields.get).',
    ruby: 'fields.sort.to_h, no sort_by { |name, value| value }.',
  },
  FIELDS_SORTED_WITH_VALUES: {
    js: 'Object.keys(fields).sort(), no Object.entries(fields).sort().',
    python: 'sorted(fields), y después une nombre y valor.',
    ruby: 'fields.keys.sort, y después une nombre y valor.',
  },
  NAMES_CHANGED: {
    php: '$message .= $name . $value; con la clave del arreglo que envías.',
    js: 'Usa el mismo objeto para firmar y para JSON.stringify.',
    python: 'Usa el mismo dict para firmar y para json=.',
    ruby: 'Usa el mismo hash para firmar y para to_json.',
  },
  URL_ENCODED_MESSAGE: {
    php: '$message .= $name . $value; en lugar de http_build_query.',
    js: 'Une name + value en lugar de new URLSearchParams(fields).toString().',
    python: 'Une name + value en lugar de urlencode(fields).',
    ruby: 'fields.sort.flatten.join en lugar de URI.encode_www_form.',
  },
  TRAILING_NEWLINE: {
    php: 'rtrim($value); en una shell usa printf, no echo.',
    js: 'value.trimEnd(); en una shell usa printf, no echo.',
    python: "value.rstrip('\\n'); en una shell usa printf, no echo.",
    ruby: 'value.chomp; en una shell usa printf, no echo.',
  },
  FIELD_NOT_SIGNED: {
    php: 'Agrégalo antes del ciclo que arma el mensaje.',
    js: 'Agrégalo al objeto antes de firmar.',
    python: 'Agrégalo al dict antes de firmar.',
    ruby: 'Agrégalo al hash antes de firmar.',
  },
  FIELD_SIGNED_BUT_NOT_SENT: {
    php: 'unset($fields[$name]) antes de firmar.',
    js: 'Bórralo antes de firmar: JSON.stringify omite undefined, las plantillas de texto lo escriben.',
    python: 'fields.pop(name, None) antes de firmar.',
    ruby: 'fields.delete(name) antes de firmar.',
  },
  SIGNATURE_FIELD_SIGNED: {
    php: "unset($fields['x_signature']) antes de firmar.",
    python: "fields.pop('x_signature', None) antes de firmar.",
  },
  NULL_PRINTED: {
    php: 'null se une como texto vacío; ponle un valor.',
    js: 'null se une como "null"; ponle un valor.',
    python: 'None se escribe "None"; ponle un valor.',
    ruby: 'nil se une como texto vacío; ponle un valor.',
  },
  BOOLEAN_PRINTED: {
    php: "$value ? 'true' : 'false', porque true se une como 1 y false como nada.",
    js: 'String(value), y envía ese texto.',
    python: "'true' if value else 'false', porque str(True) es True.",
    ruby: 'value.to_s, y envía ese texto.',
  },
  NUMBER_PRINTED_DIFFERENTLY: {
    php: '$amount = (string) $integer; usa $amount en los dos lugares.',
    js: 'const amount = String(integer); usa amount en los dos lugares.',
    python: 'amount = str(int(value)); usa amount en los dos lugares: un float se escribe 1000.0.',
    ruby: 'amount = value.to_i.to_s; usa amount en los dos lugares: un float se escribe 1000.0.',
  },
  PLUS_AND_SPACE: {
    php: 'Firma el valor simple; codifica con http_build_query solo al enviar.',
    js: 'Firma el valor simple; codifica con new URLSearchParams solo al enviar.',
    python: 'Firma el valor simple; codifica con urlencode solo al enviar.',
    ruby: 'Firma el valor simple; codifica con URI.encode_www_form solo al enviar.',
  },
  URL_ENCODED_VALUE: {
    php: 'Quita urlencode y rawurlencode antes de firmar.',
    js: 'Quita encodeURIComponent antes de firmar.',
    python: 'Quita quote y quote_plus antes de firmar.',
    ruby: 'Quita CGI.escape antes de firmar.',
  },
  URL_DECODED_VALUE: {
    php: 'Dale valores simples a http_build_query: él los codifica.',
    js: 'Dale valores simples a URLSearchParams: él los codifica. En JSON no codifiques nada.',
    python: 'Dale valores simples a requests en data=: él los codifica.',
    ruby: 'Dale valores simples a URI.encode_www_form: él los codifica.',
  },
  HTML_ENTITIES: {
    php: 'Firma y envía el valor simple; htmlspecialchars solo dentro de value="...".',
    js: 'Firma y envía el valor simple; que la plantilla lo escape.',
    python: 'Firma y envía el valor simple; html.unescape a lo que viene de una página.',
    ruby: 'Firma y envía el valor simple; CGI.unescapeHTML a lo que viene de una página.',
  },
  LATIN_1: {
    php: "mb_convert_encoding($value, 'UTF-8', 'ISO-8859-1') una vez, donde entra el valor; quita utf8_encode.",
    js: "Quita 'latin1' y 'binary': update(message, 'utf8').",
    python: "message.encode('utf-8'), no 'latin-1'.",
    ruby: "value.encode('UTF-8', 'ISO-8859-1') una vez, donde entra el valor.",
  },
  UNICODE_CHANGED: {
    php: 'Normalizer::normalize e iconv antes de firmar y enviar, o nunca.',
    js: 'normalize() antes de firmar y enviar, o nunca.',
    python: 'unicodedata.normalize antes de firmar y enviar, o nunca.',
    ruby: 'unicode_normalize antes de firmar y enviar, o nunca.',
  },
  BACKSLASHES_ADDED: {
    php: 'Firma antes de json_encode; quita addslashes.',
    js: 'Firma antes de JSON.stringify.',
    python: 'Firma antes de json.dumps.',
    ruby: 'Firma antes de to_json.',
  },
  CASE_CHANGED: {
    php: 'strtolower antes de firmar y enviar, o nunca.',
    js: 'toLowerCase() antes de firmar y enviar, o nunca.',
    python: 'lower() antes de firmar y enviar, o nunca.',
    ruby: 'downcase antes de firmar y enviar, o nunca.',
  },
  TRAILING_SLASH: {
    php: 'Arma la URL una vez y úsala en los dos lugares.',
    js: 'new URL(value).href agrega una barra: usa el mismo texto en los dos lugares.',
    python: 'Arma la URL una vez y úsala en los dos lugares.',
    ruby: 'URI(value).to_s una vez, y el mismo texto en los dos lugares.',
  },
  EMPTY_WHEN_SIGNED: {
    php: 'Llénalo antes del ciclo que arma el mensaje.',
    js: 'Llénalo antes de firmar.',
    python: 'Llénalo antes de firmar.',
    ruby: 'Llénalo antes de firmar.',
  },
};
