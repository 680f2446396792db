import { bancochileMasivas, bancochileV4 } from './bancochile-files.ts';
import { bancoestadoAbonos, bancoestadoProveedores } from './bancoestado-files.ts';
import type { BankFileFormat } from './bank-file-format.ts';
import { bciFile, biceFile, itauFile, scotiabankFile } from './other-bank-files.ts';
import { santanderFile } from './santander-file.ts';

/** THE TABLE of the banks' file formats. */
export const BANK_FILES: readonly BankFileFormat[] = [
  santanderFile,
  bancochileMasivas,
  bancochileV4,
  bancoestadoProveedores,
  bancoestadoAbonos,
  bciFile,
  itauFile,
  biceFile,
  scotiabankFile,
];
