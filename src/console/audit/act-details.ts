import { AUDIT_ACTIONS, type AuditAction } from '../../audit/audit-action.ts';
import { type ListedAct, moneyOf } from '../../audit/list-audit.ts';
import { isRole } from '../../auth/permission.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { sayDecisionReason } from '../../movements/imported-payment.ts';
import { sayReason } from '../../payouts/kept-texts.ts';
import { isPayoutState } from '../../payouts/payout.ts';
import { REFUND_REQUEST_STATES } from '../../refunds/refund-request.ts';
import { actorText } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import { nameOfRole } from '../permission-texts.ts';
import { SPANISH_ACTIONS } from './spanish-actions.ts';

/** Returns the sentence for an action; for an action that this version does not know, its name. */
export function sayAction(language: Language, action: string): string {
  if (!Object.hasOwn(AUDIT_ACTIONS, action)) return action;
  return (language === 'es' ? SPANISH_ACTIONS : AUDIT_ACTIONS)[action as AuditAction];
}

/** Lists every action whose sentence contains the text, ignoring case. */
export function actionsLike(language: Language, text: string): AuditAction[] {
  const known = Object.keys(AUDIT_ACTIONS) as AuditAction[];
  return known.filter((action) => sayAction(language, action).toLowerCase().includes(text.toLowerCase()));
}

/** Returns the reason of an act. The store has the service's own reasons in English. */
export function reasonOfAct(language: Language, { action, reason }: ListedAct): string | null {
  if (reason === null) return null;
  return (action.startsWith('payout.') ? sayReason : sayDecisionReason)(reason)[language];
}

type Values = Readonly<Record<string, unknown>>;

/** Lists each recorded value of an act with its name. For a changed value it shows the old and the new one. */
export function detailsOf(language: Language, { action, before, after }: ListedAct): string[] {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  const text = (name: string, values: Values) => textOf(language, name, values, action);
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) => {
    const [one, other] = [text(name, was), text(name, is)];
    const isBoth = Object.hasOwn(was, name) && Object.hasOwn(is, name);
    if (isBoth && one === other) return one === '—' ? [] : [`${nameOfValue(language, name)}: ${one}`];
    return [`${nameOfValue(language, name)}: ${isBoth ? `${one} → ${other}` : Object.hasOwn(is, name) ? other : one}`];
  });
}

/** A value of another shape, written to the store from outside this service, is shown unchanged. */
function valuesOf(said: unknown): Values {
  if (said === null) return {};
  return typeof said === 'object' && !Array.isArray(said) ? (said as Values) : { '': said };
}

function textOf(language: Language, name: string, values: Values, action: string): string {
  const value = values[name];
  const { currency } = values;
  if (value === null || value === undefined || value === '') return '—';
  if (typeof value === 'boolean') return tell(language, value ? 'audit.yes' : 'audit.no');
  if (Array.isArray(value))
    return value.length === 0 ? '—' : value.map((one) => namedText(language, name, String(one), action)).join(', ');
  if (typeof value === 'number' && name.endsWith('_at')) return clockOf(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const money = /^-?\d{1,15}$/.test(text) ? moneyOf(name, Number(text), currency) : null;
  if (money !== null) return money;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return clockOf(Date.parse(text));
  return namedText(language, name, text, action);
}

/** Returns a code as people read it on the other screens. */
function namedText(language: Language, name: string, text: string, action: string): string {
  if (name === 'payment_services' && text === 'all') return tell(language, 'people.sees_all');
  if (name === 'environment' && (text === 'development' || text === 'production'))
    return tell(language, `merchant.${text}`).toLowerCase();
  if (name.endsWith('_by')) return actorText(language, text);
  if (name === 'role' && isRole(text)) return nameOfRole(language, text);
  if (name === 'state' && action.startsWith('payout.') && isPayoutState(text))
    return tell(language, `payout_state.${text}`);
  const requested = REFUND_REQUEST_STATES.find((state) => state === text);
  if (name === 'state' && action.startsWith('refund_request.') && requested !== undefined)
    return tell(language, `above.state_${requested}`);
  if (name === 'type' && action === 'payout.account_type_set') return tellKind(language, 'account_type', text);
  if (name === 'outcome') return tellKind(language, 'settle', text);
  // The id of a payout and its state.
  if (name === 'settled') return tellEach(language, 'payout_state', text, ' ');
  const group = Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
  if (group === undefined) return shortened(text);
  return tellEach(language, group, text, ', ');
}

function tellEach(language: Language, group: string, text: string, between: string): string {
  const words = text.split(between);
  return words.map((one) => tellKind(language, group, one)).join(between);
}

/** Values that other screens name: the group of their texts. */
const GROUPS: Readonly<Record<string, string>> = { cause: 'cause', proof: 'proof', use: 'use', uses: 'pay_link' };

function shortened(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return `${text.slice(0, 12)}…`;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

const LONGEST = 200;

/** Returns what the screens call a stored value, such as one of an act or of the timeline of a payment. */
export function nameOfValue(language: Language, name: string): string {
  const names = language === 'es' ? SPANISH_NAMES : ENGLISH_NAMES;
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? name.replaceAll('_', ' ');
}

/** The screens call a payment service a merchant. */
const ENGLISH_NAMES: Readonly<Record<string, string>> = { payment_service: 'merchant', payment_services: 'merchants' };

const SPANISH_NAMES: Readonly<Record<string, string>> = {
  account: 'cuenta',
  accounting_date: 'fecha contable',
  accounts: 'cuentas',
  address: 'dirección',
  ahead_ms: 'milisegundos de adelanto',
  amount: 'monto',
  amounts: 'montos',
  answer: 'respuesta',
  applied: 'migraciones',
  approver_set_up_by: 'preparó a quien aprueba',
  as_of: 'al día',
  authorization_code: 'código de autorización',
  authorization_date: 'fecha de autorización',
  automatic_count_per_hour: 'automáticos por hora',
  automatic_per_day: 'automáticos por día',
  automatic_per_payout: 'automáticos por pago',
  balance: 'saldo',
  bank: 'banco',
  buy_order: 'orden de compra',
  callback: 'callback',
  callbacks: 'callbacks',
  card_last_digits: 'últimos dígitos de la tarjeta',
  cause: 'causa',
  changers_sha256: 'sha256 de quiénes cambiaron las cuentas',
  closes_at: 'el anterior sirve hasta',
  colour: 'color',
  commission: 'comisión del medio',
  contact: 'contacto',
  content_sha256: 'sha256 del concepto y la URL',
  contradicted: 'contradicen',
  count: 'veces',
  credit: 'haber',
  currency: 'moneda',
  day: 'día',
  debit: 'debe',
  decision: 'decisión',
  delivery_attempts: 'intentos de entrega',
  deposit: 'depósitos',
  details_sha256: 'sha256 de los veredictos y las URL',
  differences: 'diferencias',
  differences_sha256: 'sha256 de las diferencias',
  duration_ms: 'milisegundos',
  email: 'correo',
  ended: 'terminó',
  endpoints: 'direcciones',
  ends_at: 'vence',
  entries: 'asientos',
  environment: 'ambiente',
  epochs: 'épocas',
  event: 'suceso',
  events: 'eventos',
  evidence: 'respaldo',
  evidence_name: 'respaldo',
  evidence_sha256: 'sha256 del respaldo',
  expires_at: 'vence',
  factor: 'factor',
  factors: 'segundos factores',
  file_line: 'línea del archivo',
  file_lines: 'líneas del archivo',
  file_name: 'archivo',
  file_sha256: 'sha256 del archivo',
  first_day: 'primer día',
  first_transaction_id: 'primera transacción',
  fixed: 'fijo',
  format: 'formato',
  from: 'desde',
  given_back: 'devuelto',
  granted: 'permisos propios',
  installments_amount: 'monto de la cuota',
  installments_number: 'cuotas',
  kept_back: 'se deja',
  kind: 'tipo',
  known_until: 'se conoce hasta',
  last_day: 'último día',
  legalName: 'razón social',
  line: 'línea',
  lines: 'líneas',
  lines_sha256: 'sha256 de las líneas',
  link: 'enlace',
  list_sha256: 'sha256 de la lista',
  location: 'redirige a',
  made_at: 'hecho',
  mails: 'comprobantes por correo',
  matched: 'coinciden',
  method: 'método',
  move: 'traslado',
  name: 'nombre',
  number: 'número',
  of: 'de',
  open: 'sin aceptar',
  other: 'de otra cosa',
  outcome: 'resultado',
  overdraft: 'puede pasarse en',
  own_limits: 'límites propios',
  password_proof_sha256: 'sha256 de la prueba de la clave',
  payees_sha256: 'sha256 de los destinatarios',
  payer_attempts: 'rechazos que terminan el pago',
  payment_attempt: 'intento de pago',
  payment_method: 'medio de pago',
  payment_service: 'comercio',
  payment_services: 'comercios',
  payment_type_code: 'tipo de pago',
  payout: 'pagos a terceros',
  payouts: 'pagos a terceros',
  per_batch: 'por lote',
  per_day: 'por día',
  per_minute: 'por minuto',
  per_payout: 'por pago',
  permissions: 'permisos',
  posts_ended: 'avisos terminados',
  proof: 'se demuestra por',
  queued: 'en cola',
  rate_ppm: 'partes por millón',
  reason: 'motivo',
  receipts: 'comprobantes',
  recipients: 'destinatarios',
  recovery_codes: 'códigos de recuperación',
  reference: 'referencia',
  refund: 'devolución',
  refund_request: 'devolución por aprobar',
  refunded_that_day: 'devuelto ese día',
  refunds_a_day: 'devoluciones al día',
  refused_as: 'rechazado como',
  refused_requests: 'solicitudes rechazadas',
  replay: 'repite',
  requested_by: 'la pidió',
  resolved_at: 'explicada',
  resolved_by: 'la explicó',
  response_code: 'código de respuesta',
  restored: 'restaurado',
  return: 'dinero que volvió',
  role: 'rol',
  rut: 'RUT',
  said: 'se dijo',
  seed: 'semilla',
  sessions: 'sesiones',
  set_up_by_approver: 'preparado por quien aprueba',
  settled: 'terminados',
  sha256: 'sha256',
  since: 'desde',
  service_token: 'Service Token',
  site: 'sitio',
  source: 'fuente',
  state: 'estado',
  status: 'estado en el medio',
  suspense: 'sin explicar',
  taken: 'cobrado',
  taken_by: 'la ve',
  terms: 'términos',
  texts: 'textos',
  to: 'a',
  token: 'token',
  total: 'total',
  transaction: 'transacción',
  transaction_date: 'fecha en el medio',
  transactions: 'transacciones',
  type: 'tipo',
  url: 'URL',
  url_sha256: 'sha256 de la URL',
  use: 'uso',
  user: 'usuario',
  users: 'usuarios',
  uses: 'usos',
  uses_sha256: 'sha256 de los usos',
  validations: 'validaciones',
  verdict: 'veredicto',
  version: 'versión',
  waiting_posts: 'avisos en espera',
  webhook: 'aviso',
  webhook_id: 'id del aviso',
  withdrawn: 'perdieron el acceso',
};
