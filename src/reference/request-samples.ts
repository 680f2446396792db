import { readFileSync } from 'node:fs';
import { shellQuote } from '../lib/shell-word.ts';

/** The languages of request samples, by name. */
export const LANGUAGES = { curl: 'curl', node: 'Node', php: 'PHP', python: 'Python' } as const;

export type SampleLanguage = keyof typeof LANGUAGES;

export type Samples = Record<SampleLanguage, string>;

export type SampleRequest = { method: string; url: string; headers: Record<string, string>; body: unknown };

/** Writes one request in every language, with its standard library only. Each sample prints the status and the body. */
export function requestSamples(request: SampleRequest): Samples {
  return {
    curl: curlSample(request),
    node: nodeSample(request),
    php: phpSample(request),
    python: pythonSample(request),
  };
}

/**
 * A signed request in every language. Its code signs any fields: `{{url}}`, `{{json}}` (the fields as JSON) and
 * `{{pairs}}` (as shell arguments) are placeholders. The secret comes from the environment.
 */
export const SIGNED_SAMPLES: Samples = {
  curl: read('signed-curl.txt'),
  node: read('signed-node.txt'),
  php: read('signed-php.txt'),
  python: read('signed-python.txt'),
};

/** Puts a URL and fields into a signed sample. */
export function fillSample(sample: string, url: string, fields: Record<string, string>): string {
  const pairs = Object.keys(fields)
    .sort()
    .map((name) => `  ${shellQuote(`${name}=${fields[name]}`)}`)
    .join(' \\\n');
  const values = { url, json: JSON.stringify(fields, null, 2), pairs };
  return sample.replaceAll(/\{\{(url|json|pairs)\}\}/g, (_, name: keyof typeof values) => values[name]);
}

function curlSample({ method, url, headers, body }: SampleRequest): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`);
  if (body !== undefined) options.push(`-d ${shellQuote(JSON.stringify(body))}`);
  // With -d curl sends a POST, whatever the endpoint wants.
  if (method !== (body === undefined ? 'GET' : 'POST')) options.push(`-X ${method}`);
  return [`curl -s -w '\\n%{http_code}\\n' ${shellQuote(url)}`, ...options].join(' \\\n  ');
}

function nodeSample({ method, url, headers, body }: SampleRequest): string {
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(Object.keys(headers).length === 0 ? [] : [`  headers: ${indented(headers)},`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body)}),`]),
  ];
  const given = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${JSON.stringify(url)}${given});\nconsole.log(response.status, await response.text());`;
}

function phpSample({ method, url, headers, body }: SampleRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const options = [
    `    'method' => '${method}',`,
    ...(lines.length === 0 ? [] : [`    'header' => [${lines.map(phpText).join(', ')}],`]),
    ...(body === undefined ? [] : [`    'content' => ${phpText(JSON.stringify(body))},`]),
    `    'ignore_errors' => true,`,
  ];
  return `<?php
$answer = file_get_contents(${phpText(url)}, false, stream_context_create(['http' => [
${options.join('\n')}
]]));
echo $http_response_header[0], PHP_EOL, $answer, PHP_EOL;`;
}

function pythonSample({ method, url, headers, body }: SampleRequest): string {
  const json = body === undefined ? '' : `, json.dumps(${pythonLiteral(body)}).encode()`;
  return `import json, urllib.error, urllib.request

request = urllib.request.Request(${JSON.stringify(url)}${json}, headers=${JSON.stringify(headers)}, method='${method}')
try:
    answer = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    answer = error
print(answer.status, answer.read().decode())`;
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}

function phpText(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** Writes JSON as a Python literal, which differs only in three words. */
function pythonLiteral(value: unknown): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  return JSON.stringify(value).replaceAll(/("(?:[^"\\]|\\.)*")|true|false|null/g, (word, text) => text ?? words[word]);
}

function read(name: string): string {
  return readFileSync(new URL(`samples/${name}`, import.meta.url), 'utf8');
}
