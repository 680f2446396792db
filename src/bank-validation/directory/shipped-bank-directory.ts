import shipped from './bank-directory.json' with { type: 'json' };
import { type BankDirectory, type BankList, createBankDirectory } from './bank-directory.ts';

/** The bank list of this release, which serves until `banks import` brings a newer one. A test proves it consistent. */
export const shippedBankDirectory: BankDirectory = createBankDirectory(shipped as BankList);
