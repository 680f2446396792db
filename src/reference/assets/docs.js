// Copy buttons for every code block, and the signing page. Nothing leaves the page except the request that is sent.

const isSpanish = document.documentElement.lang.startsWith('es');
const COPY = isSpanish ? ['Copiar', 'Copiado'] : ['Copy', 'Copied'];

const text = (name, content) => Object.assign(document.createElement(name), { textContent: content });

for (const pre of navigator.clipboard ? document.querySelectorAll('pre') : []) {
  const button = text('button', COPY[0]);
  button.type = 'button';
  button.className = 'copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = COPY[1];
    setTimeout(() => (button.textContent = COPY[0]), 1500);
  });
  const frame = Object.assign(document.createElement('div'), { className: 'frame' });
  pre.replaceWith(frame);
  frame.append(pre, button);
}

// On a phone the navigation is one scrolling line: bring the current page into view.
const places = document.querySelector('.places');
const here = places?.querySelector('[aria-current]');
if (here) places.scrollLeft = here.offsetLeft - places.offsetLeft - 16;

const languages = document.querySelectorAll('input[name=language]');
for (const input of languages) {
  input.checked = input.id === (localStorage.getItem('language') ?? 'show-curl');
  input.addEventListener('change', () => localStorage.setItem('language', input.id));
}

const signing = document.querySelector('.signing');
const words = JSON.parse(signing?.dataset.words ?? '{}');
if (signing !== null) startSigning(signing);

function startSigning(page) {
  const path = page.dataset.path;
  const inputs = [...page.querySelectorAll('[data-field]')];
  const secret = page.querySelector('#secret');
  const reference = inputs.find((input) => input.dataset.field === 'x_reference');
  // A reference belongs to one transaction forever, so each visit proposes a new one.
  reference.value = `ORD-${Math.random().toString(36).slice(2, 10).toUpperCase()}`;
  const read = () => Object.fromEntries(inputs.map((input) => [input.dataset.field, input.value]));

  const show = async () => {
    const fields = read();
    showMessage(page.querySelector('#message'), fields);
    for (const code of page.querySelectorAll('[data-sample]')) {
      code.textContent = fillSample(code.dataset.sample, location.origin + path, fields);
    }
    const signature = await sign(fields, secret.value);
    // Signing is asynchronous, so the fields may have changed meanwhile.
    if (JSON.stringify(read()) === JSON.stringify(fields)) page.querySelector('#signature').textContent = signature ?? excuse(secret);
  };

  page.addEventListener('input', show);
  page.querySelector('#fields').addEventListener('submit', (event) => event.preventDefault());
  page.querySelector('#send').addEventListener('click', async () => {
    const fields = read();
    const signature = await sign(fields, secret.value);
    const answer = page.querySelector('#answer');
    if (signature === null) answer.replaceChildren(text('p', excuse(secret)));
    else await send(path, { ...fields, x_signature: signature }, answer);
  });
  void show();
}

function namesInOrder(fields) {
  return Object.keys(fields).sort();
}

function showMessage(code, fields) {
  code.replaceChildren(...namesInOrder(fields).flatMap((name) => [text('b', name), fields[name]]));
}

/**
 * Returns the HMAC-SHA256 of the message in hexadecimal; null without a secret, or without the browser's crypto API.
 */
async function sign(fields, secret) {
  if (secret === '' || !crypto.subtle) return null;
  const bytes = (value) => new TextEncoder().encode(value);
  const message = namesInOrder(fields).map((name) => name + fields[name]).join('');
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(message)));
  return [...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function excuse(secret) {
  if (!crypto.subtle) return words.onlySecure;
  return secret.value === '' ? words.enterSecret : '…';
}

async function send(path, body, answer) {
  answer.replaceChildren(text('p', words.sending));
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    showAnswer(answer, response, await response.json());
  } catch {
    answer.replaceChildren(text('p', words.noAnswer));
  }
}

function showAnswer(answer, response, body) {
  const parts = [text('p', `${response.status} ${response.statusText}`)];
  const [gateway] = body.data?.payUrl ?? [];
  if (gateway !== undefined) {
    const link = text('a', words.payPage);
    link.href = gateway.url;
    parts.push(Object.assign(document.createElement('p'), { className: 'next' }));
    parts.at(-1).append(link);
  }
  if (response.headers.get('idempotency-hit') === 'true') parts.push(text('p', words.repeated));
  const pre = document.createElement('pre');
  pre.append(text('code', JSON.stringify(body, null, 2)));
  answer.className = response.ok ? 'good' : 'bad';
  answer.replaceChildren(...parts, pre);
}

/** Does the same as `fillSample` on the server. */
function fillSample(sample, url, fields) {
  const quote = (value) => `'${value.replaceAll("'", `'\\''`)}'`;
  const pairs = namesInOrder(fields).map((name) => `  ${quote(`${name}=${fields[name]}`)}`).join(' \\\n');
  const values = { url, json: JSON.stringify(fields, null, 2), pairs };
  return sample.replaceAll(/\{\{(url|json|pairs)\}\}/g, (_, name) => values[name]);
}
