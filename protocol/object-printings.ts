/**
 * Returns the texts that programming languages produce when an object or array is joined to a text. The bare name
 * (PHP's null) comes last.
 */
export function objectPrintings(json: string): string[] {
  const value = JSON.parse(json) as JsonValue;
  const compact = JSON.stringify(value);
  return [
    inJavaScript(value),
    'Array',
    compact,
    escaped(compact).replaceAll('/', '\\/'),
    compact.replaceAll('/', '\\/'),
    json,
    escaped(pythonJson(value)),
    pythonJson(value),
    inPython(value),
    inRuby(value, '=>'),
    inRuby(value, ' => '),
    flattenedInRuby(value, '=>'),
    flattenedInRuby(value, ' => '),
    '[object Object]',
    'Object',
    '1',
    '',
  ];
}

type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

function inJavaScript(value: JsonValue): string {
  if (Array.isArray(value)) return value.map((element) => (element === null ? '' : inJavaScript(element))).join();
  return typeof value === 'object' ? '[object Object]' : String(value);
}

function pythonJson(value: JsonValue): string {
  return printed(value, { pair: ': ', comma: ', ', text: JSON.stringify, words: ['null', 'true', 'false'] });
}

function inPython(value: JsonValue): string {
  const text = (string: string) => (string.includes("'") ? `"${string}"` : `'${string}'`);
  return printed(value, { pair: ': ', comma: ', ', text, words: ['None', 'True', 'False'] });
}

function inRuby(value: JsonValue, pair: string): string {
  return printed(value, { pair, comma: ', ', text: JSON.stringify, words: ['nil', 'true', 'false'] });
}

/** Ruby's `fields.sort.flatten.join`, which flattens arrays and keeps hashes. */
function flattenedInRuby(value: JsonValue, pair: string): string {
  if (!Array.isArray(value)) return inRuby(value, pair);
  return value.map((element) => (typeof element === 'string' ? element : flattenedInRuby(element, pair))).join('');
}

type Style = { pair: string; comma: string; text: (string: string) => string; words: [string, string, string] };

function printed(value: JsonValue, style: Style): string {
  if (value === null) return style.words[0];
  if (typeof value === 'boolean') return style.words[value ? 1 : 2];
  if (typeof value === 'string') return style.text(value);
  if (Array.isArray(value)) return `[${value.map((element) => printed(element, style)).join(style.comma)}]`;
  if (typeof value === 'number') return String(value);
  const members = Object.entries(value).map(([name, member]) => style.text(name) + style.pair + printed(member, style));
  return `{${members.join(style.comma)}}`;
}

function escaped(json: string): string {
  return json.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
