import { trimEnd } from '../../protocol/plain-text.ts';
import { checkCharacter } from '../lib/modulo-eleven.ts';

/** Why a RUT cannot be read. */
export type RutReason =
  | 'RUT_MISSING'
  | 'RUT_NOT_STRING'
  | 'RUT_TOO_LONG'
  | 'RUT_BAD_FORMAT'
  | 'RUT_OUT_OF_RANGE'
  | 'RUT_CHECK_DIGIT_MISMATCH'
  | 'RUT_CHECK_DIGIT_MAYBE_MISSING';

/** The warnings about a RUT that can be read. */
export type RutWarning =
  | 'RUT_WHITESPACE_TRIMMED'
  | 'RUT_LEADING_ZEROS_STRIPPED'
  | 'RUT_CHECK_DIGIT_ADDED'
  | 'RUT_IMPLAUSIBLY_LOW'
  | 'RUT_REPEATED_DIGITS'
  | 'RUT_GENERIC_PLACEHOLDER';

/** Digits without a hyphen end with their check character (`with-dv`), or have none (`without-dv`). */
export const RUT_FORMATS = ['with-dv', 'without-dv'] as const;
export type RutFormat = (typeof RUT_FORMATS)[number];

/** One of the two readings of digits without a hyphen. `rut` is canonical; null if this reading is not a RUT. */
export type PossibleRut = { readonly format: RutFormat; readonly rut: string | null };

export type HolderClass = 'natural_person' | 'legal_entity';

export type RutReading =
  | {
      readonly valid: true;
      readonly reason: null;
      /** Such as `12345678-5`: no dots, no leading zeros, upper-case check character. */
      readonly canonical: string;
      readonly warnings: readonly RutWarning[];
      readonly holderClass: HolderClass;
    }
  | {
      readonly valid: false;
      readonly reason: RutReason;
      readonly canonical: null;
      readonly warnings: readonly [];
      readonly holderClass: null;
    };

/**
 * Reads a Chilean RUT or RUN as people and bank files write it.
 *
 * `valid` means well-formed with the right check character. It does not mean that the number was issued, or to whom.
 * The tax office publishes no ranges, so a range only warns or classifies: numbers from 50,000,000 count as an
 * entity's. The time is bounded for any input, because the length is checked before any pattern runs.
 *
 * Eight digits or fewer without a hyphen may be one person's RUT with its check character and another's without: one
 * number in eleven is both. So they are not a RUT until `format` decides.
 */
export function readRut(value: unknown, format: RutFormat | null = null): RutReading {
  if (value === undefined || value === null || value === '') return refuse('RUT_MISSING');
  if (typeof value !== 'string') return refuse('RUT_NOT_STRING');
  if (value.length > MAX_CHARACTERS) return refuse('RUT_TOO_LONG');

  const trimmed = trimEnd(value.replace(/^ +/, ''), ' ');
  const isBody = format === 'without-dv' && WRITTEN_BODY.test(trimmed);
  const [, written, check] = isBody ? ['', trimmed, ''] : (WRITTEN_RUT.exec(trimmed) ?? []);
  if (written === undefined || check === undefined) return refuse('RUT_BAD_FORMAT');

  const digits = written.replaceAll('.', '');
  const body = digits.replace(/^0+/, '');
  if (body === '') return refuse('RUT_OUT_OF_RANGE');
  if (body.length > MAX_BODY_DIGITS) return refuse('RUT_TOO_LONG');
  if (format === null && hasTwoReadings(trimmed)) return refuse('RUT_CHECK_DIGIT_MAYBE_MISSING');

  const character = isBody ? checkCharacter(body) : check === 'k' ? 'K' : check;
  if (character !== checkCharacter(body)) return refuse('RUT_CHECK_DIGIT_MISMATCH');

  const warnings: RutWarning[] = [];
  if (trimmed.length < value.length) warnings.push('RUT_WHITESPACE_TRIMMED');
  if (body.length < digits.length) warnings.push('RUT_LEADING_ZEROS_STRIPPED');
  if (isBody) warnings.push('RUT_CHECK_DIGIT_ADDED');
  if (Number(body) < LOWEST_PLAUSIBLE) warnings.push('RUT_IMPLAUSIBLY_LOW');
  if (/^(\d)\1{6,7}$/.test(body)) warnings.push('RUT_REPEATED_DIGITS');
  if (body === '55555555') warnings.push('RUT_GENERIC_PLACEHOLDER');

  const holderClass = Number(body) < FIRST_ENTITY ? 'natural_person' : 'legal_entity';
  return { valid: true, reason: null, canonical: `${body}-${character}`, warnings, holderClass };
}

/** Returns both readings of digits that may lack their check character. */
export function possibleRuts(value: unknown): PossibleRut[] {
  return RUT_FORMATS.map((format) => ({ format, rut: readRut(value, format).canonical }));
}

/** Returns whether a text has only digits, and at most eight, so that they may be a RUT without its check character. */
export function hasTwoReadings(text: string): boolean {
  return TWO_READINGS.test(text);
}

const MAX_CHARACTERS = 20;
const MAX_BODY_DIGITS = 8;
const LOWEST_PLAUSIBLE = 1_000_000;
const FIRST_ENTITY = 50_000_000;

// Dots are absent or before every three digits; the first group may have leading zeros, as in bank files. No `i` flag:
// with it, non-ASCII letters would count as K.
const WRITTEN_RUT = /^(0*[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)-?([0-9kK])$/;
const WRITTEN_BODY = /^(0*[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)$/;
const TWO_READINGS = /^0*[1-9][0-9]{1,7}$/;

function refuse(reason: RutReason): RutReading {
  return { valid: false, reason, canonical: null, warnings: [], holderClass: null };
}
