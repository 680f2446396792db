/**
 * A sum of amounts in minor units: a number while a number holds it exactly, a big integer beyond 2^53. The store sums up in 64
 * bits and tells a sum as text, because neither driver reads more than 53 of them into a number.
 */
export type Sum = number | bigint;

/** Reads a sum that a statement told as text. */
export function readSum(text: string): Sum {
  return narrow(BigInt(text));
}

/** All of them together; 0 of none. */
export function addUp(sums: readonly Sum[]): Sum {
  return sums.reduce<Sum>(add, 0);
}

/** Subtracts one sum from another; below 0 where the other is larger. */
export function subtract(one: Sum, other: Sum): Sum {
  return add(one, -other);
}

/** JSON with every digit of a sum; `JSON.stringify` alone refuses big integers. */
export function stringifyExactly(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? rawJson(member.toString()) : member,
  );
}

/**
 * Makes a number that `JSON.stringify` writes as these digits. The description of answers calls it a number; nobody computes
 * with it.
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
