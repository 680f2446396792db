import type { Language } from '../../lib/language.ts';
import type { CauseCode } from './cause-texts.ts';

/** The lines of code for a shop's developer, by programming language. */
export type ReceiverLines = { php: string; node: string; python: string };

/** Returns the lines that fix a cause in the shop's receiver; null if code cannot fix it. */
export function receiverLines(code: CauseCode, address: string): ReceiverLines | null {
  const make = LINES[code];
  return make === undefined ? null : make(new URL(address).pathname);
}

/** The Spanish text of every comment in the lines below. */
const SPANISH_COMMENTS: readonly (readonly [en: string, es: string])[] = [
  ['only what must not be lost', 'solo lo que no se puede perder'],
  ['the answer leaves here', 'aquí sale la respuesta'],
  ['mail, stock, invoice', 'correo, stock, factura'],
  ['in WordPress: exclude', 'en WordPress: excluye'],
  ['from the log-in plug-in', 'del plugin de inicio de sesión'],
  ['before the next line', 'antes de la línea siguiente'],
  ['and no @login_required', 'y sin @login_required'],
  ['or a file of that name, without a redirect', 'o un archivo con ese nombre, sin redirección'],
];

/** Returns the lines with their comments in this language. */
export function inLanguage(language: Language, lines: string): string {
  if (language === 'en') return lines;
  return SPANISH_COMMENTS.reduce((text, [en, es]) => text.replaceAll(en, es), lines);
}

const AT_ONCE: ReceiverLines = {
  php: `store($fields);              // only what must not be lost
http_response_code(200);
fastcgi_finish_request();     // the answer leaves here
fulfil($fields);              // mail, stock, invoice`,
  node: `await store(fields);          // only what must not be lost
response.writeHead(200).end();
setImmediate(() => fulfil(fields)); // mail, stock, invoice`,
  python: `store(fields)                 # only what must not be lost
threading.Thread(target=fulfil, args=(fields,)).start()  # mail, stock, invoice
return "", 200`,
};

/** Only the check; the guide to callbacks has the whole receiver. */
const CHECKED: ReceiverLines = {
  php: `parse_str(file_get_contents('php://input'), $fields);
$received = $fields['x_signature'] ?? '';
unset($fields['x_signature']);
ksort($fields, SORT_STRING);
$message = '';
foreach ($fields as $name => $value) $message .= $name . $value;
$own = hash_hmac('sha256', $message, $secretToken);
if (!hash_equals($own, $received)) { http_response_code(400); exit; }`,
  node: `const { x_signature: received = '', ...fields } = Object.fromEntries(new URLSearchParams(body));
const message = Object.keys(fields).sort().map((name) => name + fields[name]).join('');
const own = createHmac('sha256', secretToken).update(message).digest('hex');
const isOurs = received.length === own.length && timingSafeEqual(Buffer.from(received, 'latin1'), Buffer.from(own, 'latin1'));
if (!isOurs) return response.writeHead(400).end();`,
  python: `fields = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
received = fields.pop("x_signature", "")
message = "".join(name + fields[name] for name in sorted(fields))
own = hmac.new(secret_token.encode(), message.encode(), hashlib.sha256).hexdigest()
if not hmac.compare_digest(own.encode(), received.encode()):
    return "", 400`,
};

const withoutLogIn = (path: string): ReceiverLines => ({
  php: `// Laravel, bootstrap/app.php; in WordPress: exclude ${path} from the log-in plug-in
$middleware->validateCsrfTokens(except: ['${path.slice(1)}']);
Route::post('${path}', ReceiveCallback::class)->withoutMiddleware('auth');`,
  node: `app.post('${path}', express.text({ type: '*/*' }), receiveCallback); // before the next line
app.use(requireLogIn);`,
  python: `@csrf_exempt          # Django; and no @login_required
@require_POST
def receive_callback(request): ...  # path('${path.slice(1)}', receive_callback)`,
});

const routed = (path: string): ReceiverLines => ({
  php: `Route::post('${path}', ReceiveCallback::class); // or a file of that name, without a redirect`,
  node: `app.post('${path}', express.text({ type: '*/*' }), receiveCallback);`,
  python: `@app.route("${path}", methods=["POST"])
def receive_callback(): ...`,
});

const LINES: Partial<Record<CauseCode, (path: string) => ReceiverLines>> = {
  timeout: () => AT_ONCE,
  signature: () => CHECKED,
  login: withoutLogIn,
  asks_login: withoutLogIn,
  forbidden: withoutLogIn,
  not_found: routed,
  not_found_since: routed,
  not_post: routed,
};
