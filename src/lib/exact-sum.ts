/**
 * A sum of amounts in minor units: a number up to 2^53, a bigint beyond. The store sums in 64 bits and returns sums as
 * text, because both drivers read only 53 bits into a number.
 */
export type Sum = number | bigint;

/** Parses a sum that a statement returned as text. */
export function readSum(text: string): Sum {
  return narrow(BigInt(text));
}

/** Adds up all sums; 0 for an empty list. */
export function addUp(sums: readonly Sum[]): Sum {
  return sums.reduce<Sum>(add, 0);
}

/** Subtracts one sum from another. The result can be negative. */
export function subtract(one: Sum, other: Sum): Sum {
  return add(one, -other);
}

/** Writes JSON with every digit of a sum. `JSON.stringify` alone throws on a bigint. */
export function stringifyExactly(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? rawJson(member.toString()) : member,
  );
}

/**
 * Makes a number that `JSON.stringify` writes with exactly these digits. It has the type `number` because the API
 * schema says so; nothing computes with it.
 */
export function rawJson(digits: string): number {
  return (JSON as unknown as { rawJSON(text: string): number }).rawJSON(digits);
}

function add(one: Sum, other: Sum): Sum {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return narrow(BigInt(one) + BigInt(other));
}

function narrow(sum: bigint): Sum {
  const number = Number(sum);
  return Number.isSafeInteger(number) ? number : sum;
}
