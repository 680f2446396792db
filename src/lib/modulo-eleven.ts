/**
 * Returns the modulo 11 check character of a RUT body: weights 2 to 7 from the right; 11 becomes `0` and 10 becomes
 * `K`.
 */
export function checkCharacter(body: string): string {
  let sum = 0;
  let weight = 2;
  for (let index = body.length - 1; index >= 0; index -= 1) {
    sum += (body.charCodeAt(index) - 48) * weight;
    weight = weight === 7 ? 2 : weight + 1;
  }
  return '0K987654321'.charAt(sum % 11);
}
