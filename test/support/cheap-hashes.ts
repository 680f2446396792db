import crypto, { type Argon2Algorithm, type Argon2Parameters } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Imported first by a test that makes many users or counts hashes: from here on Argon2 takes the least memory and one pass,
 * whatever it is asked for. As many hashes are made, and each in its turn; only within this process are they right ones.
 */
const { argon2 } = crypto;

crypto.argon2 = (
  algorithm: Argon2Algorithm,
  parameters: Argon2Parameters,
  callback: (error: Error | null, derived: NonSharedBuffer) => void,
) => argon2(algorithm, { ...parameters, memory: 8 * parameters.parallelism, passes: 1 }, callback);

syncBuiltinESMExports();
