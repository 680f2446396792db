import crypto, { type Argon2Algorithm, type Argon2Parameters } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Import this first in a test that creates many users or counts hashes. From then on Argon2 uses the least memory and
 * one pass, for any parameters. The number of hashes and their queue stay the same. The hashes are valid in this
 * process only.
 */
const { argon2 } = crypto;

crypto.argon2 = (
  algorithm: Argon2Algorithm,
  parameters: Argon2Parameters,
  callback: (error: Error | null, derived: NonSharedBuffer) => void,
) => argon2(algorithm, { ...parameters, memory: 8 * parameters.parallelism, passes: 1 }, callback);

syncBuiltinESMExports();
