import { type Command, Option } from 'commander';
import type { DescribedRights } from '../../auth/describe-rights.ts';
import { isPermission, isRole, PERMISSIONS, type Permission, ROLES, type Role } from '../../auth/permission.ts';
import type { PaymentServiceScope, RefundLimits } from '../../auth/user.ts';
import { formatMoney } from '../../lib/money.ts';
import { readAmount } from '../options.ts';
import { type CommandError, invalidOption, missingOption, notFound } from '../print.ts';

/** Returns the roles as text for a sentence. */
export function roleChoices(): string {
  return Object.keys(ROLES).join(', ');
}

/** Reads a role. Throws `CommandError` with the list of roles. */
export function readRole(text: string): Role {
  if (isRole(text)) return text;
  throw invalidOption(`There is no role ${text}; there are ${roleChoices()}.`);
}

/** Reads a permission. Throws `CommandError` with the list of permissions. */
export function readPermission(text: string): Permission {
  if (isPermission(text)) return text;
  throw invalidOption(`There is no permission ${text}; there are ${Object.keys(PERMISSIONS).join(', ')}.`);
}

/** Adds the address of a new user, which is an argument or `--email`: `user create` and `user invite` accept both. */
export function addAddress(command: Command, description: string): Command {
  return command.argument('[email]', description).option('--email <email>', 'the same e-mail address, as an option');
}

/** Returns the address, which is given once. Throws `CommandError` USAGE. */
export function readAddress(argument: string | undefined, { email }: { email?: string }): string {
  if (isPermission(argument ?? '')) throw missingOption(`Write --may before each permission: --may ${argument}.`);
  const address = argument ?? email;
  if (address === undefined || (argument !== undefined && email !== undefined))
    throw missingOption('Give the e-mail address of the user once, as ana@example.cl or --email ana@example.cl.');
  return address;
}

/** Returns the option `--may PERMISSION`, which may be repeated. */
export function mayOption(): Option {
  return new Option('--may <permission>', 'a permission beyond the role; may be repeated')
    .argParser((text: string, before: Permission[]) => [...before, readPermission(text)])
    .default([], 'none');
}

/** Returns the option `--refund-limit AMOUNT`, once for each currency. */
export function refundLimitOption(): Option {
  return new Option('--refund-limit <amount>', 'daily refund limit, such as 50000 (CLP) or USD:100.00; may be repeated')
    .argParser(readRefundLimit)
    .default({}, 'the limit of the role');
}

/**
 * Reads a limit into `before`: `50000` is in CLP, `USD:100.00` names its currency. Throws `CommandError` for a second
 * limit in one currency.
 */
export function readRefundLimit(text: string, before: RefundLimits = {}): RefundLimits {
  const [, currency = 'CLP', amount = text] = /^([A-Z]{3}):(.*)$/.exec(text) ?? [];
  if (Object.hasOwn(before, currency)) throw invalidOption(`Give one limit in ${currency}.`);
  return { ...before, [currency]: readAmount(amount, currency) };
}

export type ScopeOptions = { paymentService: string[]; allPaymentServices?: boolean };

/** Adds `--payment-service ID` and `--all-payment-services`. */
export function addScopeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--payment-service <id>', 'payment service that the user sees; may be repeated')
        .argParser((id: string, before: string[]) => [...before, id])
        .default([], 'none'),
    )
    .option('--all-payment-services', 'the user sees every payment service, future ones too');
}

/** Reads the two options as one scope; null if neither is given. */
export function readScope({ paymentService, allPaymentServices }: ScopeOptions): PaymentServiceScope | null {
  if (allPaymentServices !== true) return paymentService.length === 0 ? null : paymentService;
  if (paymentService.length === 0) return 'all';
  throw invalidOption('Give --payment-service or --all-payment-services, not both.');
}

/** Returns a user's rights as lines, with what is still missing to make them useful. */
export function describedRights(rights: DescribedRights & { email: string }): string[] {
  const { email, role, permissions, payouts, payment_services: services, refund_limits: limits } = rights;
  const money = Object.entries(limits ?? {}).map(([currency, most]) => formatMoney(most, currency));
  const mayRefund = permissions.includes('refunds:create');
  return [
    `  role       ${role}`,
    `  may        ${permissions.join(' ') || nothingYet(email)}`,
    `  payouts    ${payouts ? 'on' : 'off'}`,
    `  sees       ${seen(services)}`,
    ...(limits === null
      ? []
      : [`  refunds    up to ${money.join(', ')} a day${mayRefund ? '' : ', once granted refunds:create'}`]),
  ];
}

/** `integration`, the role without --role, is for programs and permits nothing by itself. */
function nothingYet(email: string): string {
  const ways = [
    `a person needs a role: bin/rubrica user role ${email} ROLE`,
    `a program needs permissions: bin/rubrica user grant ${email} PERMISSION`,
  ];
  return `nothing yet; ${ways.join('; ')}`;
}

/** Returns lines for what a change that replaces a list took away. */
export function lostRights(
  { payment_services: seenBefore, refund_limits: limitsBefore }: DescribedRights,
  { payment_services: services, refund_limits: limits }: DescribedRights,
): string[] {
  const lost = services === null ? [] : (seenBefore ?? ['any other']).filter((id) => !services.includes(id));
  const ended = Object.entries(limitsBefore ?? {}).filter(([currency]) => limits?.[currency] === undefined);
  return [
    ...(lost.length === 0 ? [] : [`  removed    no longer sees the payments of ${lost.join(' ')}`]),
    ...ended.map(([currency, most]) => `  removed    the limit of refunds of ${formatMoney(most, currency)} a day`),
  ];
}

function seen(services: readonly string[] | null): string {
  if (services === null) return 'the payments of every payment service';
  if (services.length === 0) return 'no payment (bin/rubrica user payment-services USER …)';
  return `the payments of ${services.join(' ')}`;
}

/** Returns the error for an unknown user id or e-mail address. */
export function unknownUser(user: string): CommandError {
  return notFound(`There is no such user: ${user}. See bin/rubrica user list`);
}
