/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

/** Reads a colour such as `#1f6f4a`, in upper or lower case, into lower case. Null for any other text. */
export function readColour(text: string): string | null {
  return /^#[0-9a-f]{6}$/.test(text.toLowerCase()) ? text.toLowerCase() : null;
}

/** Returns the contrast ratio of two colours by WCAG 2.2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(rgbOf(one)), luminance(rgbOf(other))].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Moves the colour towards `target` in small steps until it has the contrast `wanted` with `ground`. */
export function moveUntil(colour: string, target: string, ground: string, wanted: number): string {
  for (let part = 0; part <= 1; part += 0.02) {
    const moved = mix(colour, target, part);
    if (contrast(moved, ground) >= wanted) return moved;
  }
  return target;
}

/** Mixes two colours. `part`, 0 to 1, is the share of the second. */
export function mix(one: string, other: string, part: number): string {
  const [from, to] = [rgbOf(one), rgbOf(other)];
  const hex = from.map((value, at) => Math.round(value + ((to[at] as number) - value) * part));
  return `#${hex.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function rgbOf(colour: string): Rgb {
  const number = Number.parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
