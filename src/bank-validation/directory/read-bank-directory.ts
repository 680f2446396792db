import { Ajv } from 'ajv';
import shipped from './bank-directory.json' with { type: 'json' };
import { type BankDirectory, type BankList, createBankDirectory } from './bank-directory.ts';
import { nameKey, sameInstitution } from './institution-names.ts';

export type BankListProblem = {
  /** The place in the file: a JSON pointer, or `line 12` of a table. */
  readonly pointer: string;
  readonly code:
    | 'BANK_LIST_INVALID'
    | 'BANK_LIST_DUPLICATE_CODE'
    | 'BANK_LIST_BAD_SUCCESSOR'
    | 'BANK_LIST_REJECTED_CODE'
    | 'BANK_LIST_WRONG_PAIR'
    | 'BANK_LIST_NAME_CONFLICT'
    | 'BANK_LIST_UNFAMILIAR'
    | 'BANK_LIST_OLDER';
  readonly message: string;
};

/**
 * Reads and checks a bank list.
 *
 * Lists with invented pairs of code and name circulate, some with an official-looking heading. So the whole list is
 * rejected if an entry is malformed, repeated or inconsistent, has a code or a pair known to be wrong, or has the name
 * of a known institution with another's code. Returns all problems.
 */
export function readBankDirectory(json: unknown): { directory: BankDirectory } | { problems: BankListProblem[] } {
  const problems = [...schemaProblems(json), ...wrongPairProblems(json)];
  if (problems.length > 0) return { problems };

  const list = json as BankList;
  const contradictions = [
    ...duplicateProblems(list),
    ...successorProblems(list),
    ...rejectedProblems(list),
    ...nameConflictProblems(list),
  ];
  if (contradictions.length > 0) return { problems: contradictions };

  return { directory: createBankDirectory(list) };
}

const CODE = { type: 'string', pattern: '^[0-9]{3}$' };
const CODE_OR_NULL = { ...CODE, nullable: true };
const NAME = { type: 'string', pattern: '^[^\\p{Cc}]{1,200}$' };
const YEAR_OR_DAY = { type: 'string', nullable: true, pattern: '^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$' };

// Members about the origin of a fact (sources, notes, RUTs of the institutions) are allowed and ignored, so that a
// researched list can be imported unchanged.
const BANK_ENTRY = {
  type: 'object',
  required: ['code', 'name', 'kind', 'status', 'transferReachable', 'confidence'],
  additionalProperties: false,
  properties: {
    code: CODE,
    name: NAME,
    kind: { enum: ['bank', 'state_bank', 'foreign_branch', 'cooperative', 'prepaid_issuer'] },
    status: { enum: ['active', 'authorised', 'merged', 'closed', 'unverified'] },
    successor: CODE_OR_NULL,
    effective: YEAR_OR_DAY,
    transferReachable: { enum: ['yes', 'likely', 'legacy', 'no', 'unknown', 'no_evidence'] },
    confidence: { enum: ['high', 'medium', 'low'] },
    aliases: { type: 'array', items: NAME },
    rut: {},
    rutSource: {},
    sources: {},
    note: {},
  },
};

const BANK_LIST = {
  type: 'object',
  required: ['meta', 'banks'],
  additionalProperties: false,
  properties: {
    meta: {
      type: 'object',
      required: ['asOf'],
      properties: {
        asOf: { type: 'string', pattern: '^[0-9]{4}(-[0-9]{2}){0,2}$' },
        source: { ...NAME, nullable: true },
      },
    },
    banks: { type: 'array', minItems: 1, maxItems: 1000, items: BANK_ENTRY },
    rejectedCodes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'name'],
        properties: { code: CODE, name: NAME, instead: CODE_OR_NULL },
      },
    },
    knownWrongPairs: {},
    sources: {},
    nonSbifIdentifiers: {},
  },
};

function schemaProblems(json: unknown): BankListProblem[] {
  const validate = new Ajv({ allErrors: true }).compile(BANK_LIST);
  if (validate(json)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const detail = params['additionalProperty'] ?? params['allowedValues'];
    return {
      pointer: instancePath,
      code: 'BANK_LIST_INVALID',
      message: `${instancePath || 'The list'} ${message}${detail === undefined ? '' : `: ${detail}`}.`,
    };
  });
}

/**
 * Checks every entry with a code and a name, so that a known wrong list is reported as such even if it is malformed.
 */
function wrongPairProblems(json: unknown): BankListProblem[] {
  return looseEntries(json).flatMap(({ code, names }, index) => {
    const pair = shipped.knownWrongPairs.find(
      (known) => known.code === code && names.some((name) => sameInstitution(name, known.wrongName)),
    );
    if (pair === undefined) return [];
    const message = `Code ${pair.code} is not ${pair.wrongName}: this pair comes from a list that is known to be wrong.`;
    return [{ pointer: `/banks/${index}`, code: 'BANK_LIST_WRONG_PAIR' as const, message }];
  });
}

function looseEntries(json: unknown): { code: unknown; names: string[] }[] {
  const banks = (json as { banks?: unknown } | null)?.banks;
  if (!Array.isArray(banks)) return [];
  return banks.map((entry: { code?: unknown; name?: unknown; aliases?: unknown } | null) => ({
    code: entry?.code,
    names: [entry?.name, entry?.aliases].flat().filter((name) => typeof name === 'string'),
  }));
}

function duplicateProblems({ banks }: BankList): BankListProblem[] {
  const first = new Map<string, number>();
  return banks.flatMap(({ code }, index) => {
    const earlier = first.get(code);
    if (earlier === undefined) first.set(code, index);
    if (earlier === undefined) return [];
    const message = `Code ${code} is already entry ${earlier}.`;
    return [{ pointer: `/banks/${index}/code`, code: 'BANK_LIST_DUPLICATE_CODE' as const, message }];
  });
}

function successorProblems({ banks }: BankList): BankListProblem[] {
  const active = new Set(banks.filter(({ status }) => status === 'active').map(({ code }) => code));
  return banks.flatMap(({ code, status, successor = null }, index) => {
    const sound = status === 'merged' ? successor !== null && active.has(successor) : successor === null;
    if (sound) return [];
    const message =
      status === 'merged'
        ? `Code ${code} is merged, so its successor must be the code of an active entry of this list.`
        : `Code ${code} is ${status}; only a merged institution has a successor.`;
    return [{ pointer: `/banks/${index}/successor`, code: 'BANK_LIST_BAD_SUCCESSOR' as const, message }];
  });
}

function rejectedProblems({ banks, rejectedCodes = [] }: BankList): BankListProblem[] {
  const rejected = new Set([...shipped.rejectedCodes, ...rejectedCodes].map(({ code }) => code));
  return banks.flatMap(({ code }, index) => {
    if (!rejected.has(code)) return [];
    const message = `Code ${code} appears only in unreliable lists and is rejected.`;
    return [{ pointer: `/banks/${index}/code`, code: 'BANK_LIST_REJECTED_CODE' as const, message }];
  });
}

/** Reports names that the shipped directory has under another code, unless a merger connects the two codes. */
function nameConflictProblems({ banks }: BankList): BankListProblem[] {
  const links = mergedPairs([...shipped.banks, ...banks]);
  return banks.flatMap(({ code, name, aliases = [] }, index) => {
    const conflict = [name, ...aliases].find((candidate) => {
      const owners = OWNERS_OF_NAME.get(nameKey(candidate)) ?? [];
      return owners.length > 0 && !owners.some((owner) => owner === code || links.has(`${owner} ${code}`));
    });
    if (conflict === undefined) return [];
    const message = `"${conflict}" is ${OWNERS_OF_NAME.get(nameKey(conflict))?.join(' or ')}, not ${code}.`;
    return [{ pointer: `/banks/${index}`, code: 'BANK_LIST_NAME_CONFLICT' as const, message }];
  });
}

function mergedPairs(banks: readonly { code: string; successor?: string | null }[]): Set<string> {
  return new Set(
    banks.flatMap(({ code, successor }) => (successor ? [`${code} ${successor}`, `${successor} ${code}`] : [])),
  );
}

const OWNERS_OF_NAME = new Map<string, string[]>();
for (const { code, name, aliases = [] } of shipped.banks as { code: string; name: string; aliases?: string[] }[]) {
  for (const key of new Set([name, ...aliases].map(nameKey))) {
    OWNERS_OF_NAME.set(key, [...(OWNERS_OF_NAME.get(key) ?? []), code]);
  }
}
