import { holdsCardNumber, isCardNumber } from './card-number.ts';
import { currencyExponent } from './currency-exponents.ts';
import type { CallbackField, RequestField } from './field-names.ts';
import { rememberAccepted } from './remember-accepted.ts';
import { type Problem, problem, type SigningCode } from './signing-error.ts';

/** `allowHttp` is for development: it admits `http:` and host names without a dot, such as `localhost`. */
export type GrammarOptions = { allowHttp?: boolean };

/** Checks the form of every value of a request (rule 5). Expects values that passed `checkRequestFields`. */
export function checkRequestGrammar(values: Record<RequestField, string>, options: GrammarOptions = {}): Problem[] {
  const problems: Problem[] = [];
  const allowHttp = options.allowHttp === true;
  expectForm(problems, 'x_account_id', values.x_account_id, ACCOUNT_ID, 'INVALID_ACCOUNT_ID');
  checkMoney(problems, values);
  checkEmail(problems, values.x_customer_email);
  expectForm(problems, 'x_reference', values.x_reference, LATIN_TEXT, 'INVALID_REFERENCE');
  checkSessionId(problems, values.x_session_id);
  const { x_customer_email, x_reference, x_session_id } = values;
  problems.push(...checkNoCards({ x_customer_email, x_reference, x_session_id }));
  if (!COUNTRY.test(values.x_shop_country)) problems.push(problem('INVALID_COUNTRY', 'x_shop_country'));
  checkUrl(problems, 'x_url_callback', values.x_url_callback, allowHttp);
  checkUrl(problems, 'x_url_cancel', cancelUrl(values) ?? '', allowHttp);
  checkUrl(problems, 'x_url_complete', values.x_url_complete, allowHttp);
  return problems;
}

/**
 * Returns the URL for a payer who cancels. Published shops send a bare path, such as `/`: it belongs to the origin of
 * `x_url_complete`. Null if that URL has no origin. `//host` is not a path: it leads to another host.
 */
export function cancelUrl(values: { x_url_cancel: string; x_url_complete: string }): string | null {
  const { x_url_cancel: url, x_url_complete: complete } = values;
  if (!url.startsWith('/')) return url;
  const origin = url.startsWith('//') ? undefined : parseUrl(complete)?.origin;
  return origin === undefined || origin === 'null' ? null : origin + url;
}

/** Checks a callback in the same way. `x_message` and `x_gateway_reference` are free text. */
export function checkCallbackGrammar(values: Record<CallbackField, string>): Problem[] {
  const problems: Problem[] = [];
  expectForm(problems, 'x_account_id', values.x_account_id, ACCOUNT_ID, 'INVALID_ACCOUNT_ID');
  checkMoney(problems, values);
  expectForm(problems, 'x_reference', values.x_reference, LATIN_TEXT, 'INVALID_REFERENCE');
  if (!RESULT.test(values.x_result)) problems.push(problem('INVALID_RESULT', 'x_result'));
  if (!BOOLEAN.test(values.x_test)) problems.push(problem('INVALID_TEST', 'x_test'));
  if (!isUtcTime(values.x_timestamp)) problems.push(problem('INVALID_TIMESTAMP', 'x_timestamp'));
  return problems;
}

/**
 * Refuses card numbers in every stored text of a shop, because they belong to the payment method alone.
 * `checkRequestGrammar` checks the URLs. `texts` are keyed by field name.
 */
export function checkNoCards(texts: Partial<Record<string, string>>): Problem[] {
  const problems: Problem[] = [];
  for (const field in texts) {
    const text = texts[field] as string;
    if (isCardNumber(text) || holdsCardNumber(text)) problems.push(problem('CARD_NUMBER', field));
  }
  return problems;
}

/**
 * Parses an amount into minor units; null unless it is above zero. It has one to eleven digits without a leading zero.
 * Then follow nothing, one or two decimals if the currency has them (a JSON number has no last zero: `12.5`), or one or
 * two meaningless zeros, which published clients send for every currency (`1000.0`). More zeros are accepted only if
 * the currency has as many decimals: `600.000` CLP may mean six hundred thousand. It never uses a floating-point
 * number; the result is always a safe integer.
 */
export function parseAmount(text: string, exponent: number): number | null {
  const parts = AMOUNT.exec(text);
  if (parts === null) return null;
  const [, whole, fraction = ''] = parts;
  const minorUnits = Number(whole) * 10 ** exponent;
  if (ONLY_ZEROS.test(fraction)) return (fraction.length <= Math.max(2, exponent) && minorUnits) || null;
  if (fraction.length > Math.min(2, exponent)) return null;
  return minorUnits + Number(fraction) * 10 ** (exponent - fraction.length);
}

const AMOUNT = /^(0|[1-9][0-9]{0,10})(?:\.([0-9]+))?$/;
const ONLY_ZEROS = /^0*$/;
const ACCOUNT_ID = /^[!-~]+$/;
const COUNTRY = /^[A-Za-z]{2}$/;
const RESULT = /^(?:completed|failed|pending)$/;
const BOOLEAN = /^(?:true|false)$/;
// Visible ASCII and Latin-1, with spaces only inside. Other alphabets have texts that look alike and differ in bytes
// (composed and decomposed accents, look-alike letters, invisible and right-to-left marks): two references that a
// person cannot distinguish.
const LATIN_TEXT = /^[\u0021-\u007e\u00a1-\u00ac\u00ae-\u00ff]+(?: +[\u0021-\u007e\u00a1-\u00ac\u00ae-\u00ff]+)*$/;
const UTC_TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z$/;

const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const MAIL_DOMAIN =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|[xX][nN]--[A-Za-z0-9-]{1,59})$/;
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

function expectForm(problems: Problem[], field: string, text: string, form: RegExp, code: SigningCode): void {
  if (text.length > 100) problems.push(problem('FIELD_TOO_LONG', field));
  else if (!form.test(text)) problems.push(problem(code, field));
}

function checkMoney(problems: Problem[], values: { x_amount: string; x_currency: string }): void {
  const exponent = currencyExponent(values.x_currency);
  if (exponent === undefined) problems.push(problem('INVALID_CURRENCY', 'x_currency'));
  // Without a currency, the amount is checked against the widest form, so that one response reports both errors.
  if (parseAmount(values.x_amount, exponent ?? 2) === null) problems.push(problem('INVALID_AMOUNT', 'x_amount'));
}

function checkEmail(problems: Problem[], email: string): void {
  // The length is checked first, so that the patterns below never get a long text.
  if (email.length > 254) {
    problems.push(problem('FIELD_TOO_LONG', 'x_customer_email'));
    return;
  }
  const at = email.indexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const accepted = local.length <= 64 && LOCAL_PART.test(local) && MAIL_DOMAIN.test(email.slice(at + 1));
  if (!accepted) problems.push(problem('INVALID_EMAIL', 'x_customer_email'));
}

function checkSessionId(problems: Problem[], sessionId: string): void {
  if (sessionId.length < 5) problems.push(problem('INVALID_SESSION_ID', 'x_session_id'));
  else expectForm(problems, 'x_session_id', sessionId, LATIN_TEXT, 'INVALID_SESSION_ID');
}

function checkUrl(problems: Problem[], field: string, text: string, allowHttp: boolean): void {
  if (text.length > 2048) problems.push(problem('FIELD_TOO_LONG', field));
  else {
    const code = (allowHttp ? checkSpelling.withHttp : checkSpelling.strict)(text);
    if (code !== null) problems.push(problem(code, field));
  }
}

const checkSpelling = {
  strict: rememberAccepted((text) => refusalOfUrl(text, false)),
  withHttp: rememberAccepted((text) => refusalOfUrl(text, true)),
};

function refusalOfUrl(text: string, allowHttp: boolean): SigningCode | null {
  if (!isPlainUrl(text, allowHttp)) return 'INVALID_URL';
  return holdsCardNumber(text) ? 'CARD_NUMBER' : null;
}

/**
 * Accepts only the spelling that a URL parser would write. With any other spelling of the host (`0x7f.1`, full-width
 * digits, upper case), two programs may read two hosts.
 */
function isPlainUrl(text: string, allowHttp: boolean): boolean {
  if (!text.startsWith('https://') && !(allowHttp && text.startsWith('http://'))) return false;
  if (text.includes('#')) return false;
  const url = parseUrl(text);
  if (url === null) return false;
  // The slash of an empty path is optional.
  const asWritten = text === url.href || (url.pathname === '/' && text === url.origin + url.search);
  if (!asWritten || (text.includes('@') && (url.username !== '' || url.password !== ''))) return false;
  const host = url.hostname;
  if (host.startsWith('[')) return true;
  return (allowHttp || host.includes('.')) && host.length <= 253 && HOST_NAME.test(host);
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function isUtcTime(text: string): boolean {
  return UTC_TIME.test(text) && !Number.isNaN(Date.parse(text));
}
