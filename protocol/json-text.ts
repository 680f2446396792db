// Character codes for the JSON parsers.
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Names that reach an object's prototype when a parser copies them carelessly. */
export const FORBIDDEN_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];
