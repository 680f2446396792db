import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character of Unicode, as a `unit` of `fc.string`. The unit `'binary'` of fast-check has the same characters, but
 * first makes a table of all of them, which takes two seconds of a core in each process.
 */
export const anyCharacter = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count));
