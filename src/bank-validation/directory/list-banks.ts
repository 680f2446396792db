import type { App } from '../../app.ts';
import { CUENTARUT_BANK, LENGTH_HINTS, type LengthHint, LONGEST_ACCOUNT } from '../bank-account.ts';
import { BANK_LIST_SOURCE } from '../bank-findings.ts';
import type { Bank, BankDirectory } from './bank-directory.ts';
import { currentDirectory, shippedBankDirectory } from './current-directory.ts';

/** The known facts about the account numbers of a bank. */
export type AccountRules = {
  /** The most digits at any bank; longer numbers are rejected. */
  readonly most: number;
  /** Another length is a warning, never an error, because published tables contradict each other. */
  readonly usual: LengthHint | null;
  /** Whether the bank has accounts whose number is the holder's RUT without the check character. */
  readonly cuentaRut: boolean;
};

export type BankEntry = Bank & { readonly account: AccountRules };

/** The current bank list with its date. */
export type ListedBanks = {
  readonly asOf: string;
  readonly version: string;
  readonly source: string;
  /** `release`: part of the program. `import`: imported later. */
  readonly origin: 'release' | 'import';
  readonly banks: readonly BankEntry[];
};

/** Returns the banks of the current list by code, with the known facts about their accounts. */
export async function listBanks(app: App): Promise<ListedBanks> {
  return listDirectory(await currentDirectory(app));
}

/** Lists the institutions of this release. */
export function listShippedBanks(): ListedBanks {
  return listDirectory(shippedBankDirectory);
}

function listDirectory({ asOf, version, source, banks }: BankDirectory): ListedBanks {
  const entries = [...banks.values()].map((bank) => ({ ...bank, account: accountRules(bank.code) }));
  return {
    asOf,
    version,
    source: source ?? BANK_LIST_SOURCE,
    origin: version === shippedBankDirectory.version ? 'release' : 'import',
    banks: entries.sort((one, other) => (one.code < other.code ? -1 : 1)),
  };
}

function accountRules(code: string): AccountRules {
  return { most: LONGEST_ACCOUNT, usual: LENGTH_HINTS[code] ?? null, cuentaRut: code === CUENTARUT_BANK };
}
