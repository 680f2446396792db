import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test from 'node:test';
import { type ExplainOptions, explain } from '../../protocol/explain-signature.ts';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { FIXES } from '../../protocol/signature-causes.ts';
import { bodyWith, type Fault, faults, production, rotated, secret } from './signing-faults.ts';

const otherSecrets: ExplainOptions['otherSecrets'] = [
  { label: 'other-environment', secret: production },
  { label: 'rotated', secret: rotated },
];

test('a correct request is verified and has no causes', () => {
  const faultless = bodyWith().replace("Pedido ñ 1 d'Ana", 'ORD-1');
  assert.deepEqual(explain({ body: resigned(faultless), secret }), { verified: true, causes: [] });
});

for (const fault of faults) {
  test(`one mistake is named: ${fault.name}`, () => {
    assert.equal(named(bodyWith(fault))[0], nameOf(fault));
  });
}

test('two mistakes together are named in more than 95 % of the pairs', (context) => {
  const pairs = faults.flatMap((one, place) => faults.slice(place + 1).map((other): [Fault, Fault] => [one, other]));
  const independent = pairs.filter(([one, other]) => one.kind !== other.kind && one.code !== other.code);
  // One in sixteen takes a few seconds; FAULTS=all runs all.
  const chosen = independent.filter((_, place) => process.env.FAULTS === 'all' || place % 16 === 0);
  const missed = chosen.flatMap(([one, other]) => {
    const causes = named(bodyWith(one, other));
    const found = causes.includes(nameOf(one)) && causes.includes(nameOf(other));
    return found ? [] : [`${one.name} and ${other.name}: ${causes.join(', ')}`];
  });
  const share = 1 - missed.length / chosen.length;
  context.diagnostic(`${chosen.length} pairs of mistakes, ${(share * 100).toFixed(1)} % named`);
  for (const line of missed) context.diagnostic(line);
  assert.ok(share > 0.95);
});

test('three mistakes are named when one of them is the form of the signature', () => {
  const three = faults.filter(({ name }) => ['base64', 'a secret with a line feed', '1000.0'].includes(name));
  assert.deepEqual(named(bodyWith(...three)).sort(), three.map(nameOf).sort());
});

test('every cause in the list can be named', () => {
  const elsewhere = ['OTHER_SECRET', 'SIGNATURE_MALFORMED', 'FIELDS_SORTED_WITH_VALUES'];
  const covered = new Set([...faults.map(({ code }) => code), ...elsewhere]);
  assert.deepEqual(
    Object.keys(FIXES).filter((code) => !covered.has(code)),
    [],
  );
});

test('every cause has a general fix and one for each of four languages', () => {
  for (const [code, fixes] of Object.entries(FIXES)) {
    assert.deepEqual(Object.keys(fixes), ['fix', 'php', 'js', 'python', 'ruby'], code);
    for (const text of Object.values(fixes)) assert.ok(text.length > 5, code);
  }
  const [cause] = explain({ body: bodyWith(fault('1000.0')), secret }).causes;
  assert.equal(cause?.fix, FIXES.NUMBER_PRINTED_DIFFERENTLY.fix);
  assert.equal(cause?.fixes.php, FIXES.NUMBER_PRINTED_DIFFERENTLY.php);
});

test('a secret without a label is named OTHER_SECRET', () => {
  const body = bodyWith(fault('the secret of production'));
  assert.deepEqual(named(body, { otherSecrets: [{ label: 'other', secret: production }] }), ['OTHER_SECRET null']);
});

test('sorting names together with their values is distinguished from sorting names', () => {
  const fields: Record<string, string> = { ...JSON.parse(resigned(bodyWith())), x_tax: 'zz', x_tax_rate: '1' };
  delete fields.x_signature;
  const message = Object.entries(fields)
    .map(([name, value]) => name + value)
    .sort()
    .join('');
  const body = JSON.stringify({ ...fields, x_signature: createHmac('sha256', secret).update(message).digest('hex') });
  assert.deepEqual(named(body), ['FIELDS_SORTED_WITH_VALUES null', 'UNKNOWN_FIELD x_tax', 'UNKNOWN_FIELD x_tax_rate']);
});

const unexplained: [why: string, body: string][] = [
  ['an unknown secret', bodyWith(fault('the secret of production'))],
  ['a value that was changed on the way', resigned(bodyWith()).replace('ORD-1', 'ORD-2')],
  ['a made-up signature', bodyWith().replace(/[0-9a-f]{64}/, '0'.repeat(64))],
];
for (const [why, body] of unexplained) {
  test(`no cause is named for ${why}`, () => {
    assert.deepEqual(explain({ body, secret }), { verified: false, causes: [] });
  });
}

const facts: [why: string, change: (body: string) => string, causes: string[]][] = [
  ['no signature', (body) => body.replace(/,"x_signature":"[0-9a-f]+"/, ''), ['SIGNATURE_MISSING x_signature']],
  ['63 digits', (body) => body.replace(/[0-9a-f]"\}$/, '"}'), ['SIGNATURE_MALFORMED x_signature']],
  ['a word', (body) => body.replace(/[0-9a-f]{64}/, 'signature'), ['SIGNATURE_MALFORMED x_signature']],
  [
    'a null signature',
    (body) => body.replace(/"[0-9a-f]{64}"/, 'null'),
    ['SIGNATURE_MISSING x_signature', 'INVALID_TYPE x_signature'],
  ],
  [
    'base64 of something else',
    (body) => body.replace(/[0-9a-f]{64}/, `${'A'.repeat(43)}=`),
    ['SIGNATURE_IN_BASE64 x_signature'],
  ],
  ['broken JSON', (body) => body.slice(0, -1), ['INVALID_JSON null']],
  ['a name twice', (body) => body.replace('{', '{"x_amount":1,'), ['DUPLICATE_KEY x_amount']],
  ['a line feed in a value', (body) => body.replace('ORD-1', 'ORD-1\\n'), ['CONTROL_CHARACTER x_reference']],
];
for (const [why, change, causes] of facts) {
  test(`an obvious mistake is named without a proof: ${why}`, () => {
    assert.deepEqual(named(change(resigned(bodyWith()))), causes);
  });
}

const rules: [why: string, change: Record<string, unknown>, causes: string[]][] = [
  ['an ambiguous value', { x_reference: '42x_resultcompleted' }, ['AMBIGUOUS_FIELD x_reference']],
  ['an unknown field that was signed', { x_extra: '1' }, ['UNKNOWN_FIELD x_extra']],
  ['an amount with decimals', { x_amount: '1000.50' }, ['INVALID_AMOUNT x_amount']],
  [
    'two values out of their grammar',
    { x_currency: 'clp', x_shop_country: 'CHL' },
    ['INVALID_CURRENCY x_currency', 'INVALID_COUNTRY x_shop_country'],
  ],
];
for (const [why, change, causes] of rules) {
  test(`a right signature over an invalid body names the broken rule: ${why}`, () => {
    const explanation = explain({ body: resigned(bodyWith(), change), secret });
    assert.equal(explanation.verified, true);
    assert.deepEqual(
      explanation.causes.map(({ code, field }) => `${code} ${field}`),
      causes,
    );
  });
}

test('a missing field is named, whether or not it was signed', () => {
  const { x_session_id: _, ...others } = JSON.parse(resigned(bodyWith()));
  assert.deepEqual(named(JSON.stringify(others)), ['MISSING_FIELD x_session_id']);
});

test('http is a broken rule unless the payment service accepts it', () => {
  const body = resigned(bodyWith(), { x_url_callback: 'http://localhost:3000/cb' });
  assert.deepEqual(named(body), ['INVALID_URL x_url_callback']);
  assert.deepEqual(named(body, { allowHttp: true }), []);
});

test('form bodies and callbacks are explained in the same way', () => {
  const callback = {
    x_account_id: 'ACC',
    x_amount: '5000.00',
    x_currency: 'CLP',
    x_gateway_reference: '9838',
    x_message: 'Approved',
    x_reference: 'ORD 42',
    x_result: 'completed',
    x_test: 'false',
    x_timestamp: '2026-01-01T00:00:05.000Z',
  };
  const formOf = (signed: Record<string, string>) => {
    const signature = createHmac('sha256', secret).update(Object.entries(signed).flat().join('')).digest('hex');
    return String(new URLSearchParams({ ...callback, x_signature: signature }));
  };
  assert.deepEqual(named(formOf(callback), { contentType: 'application/x-www-form-urlencoded; charset=utf-8' }), []);
  assert.deepEqual(named(formOf({ ...callback, x_reference: 'ORD+42' })), ['PLUS_AND_SPACE x_reference']);
  assert.deepEqual(named(formOf({ ...callback, x_test: '' })), ['BOOLEAN_PRINTED x_test']);
  assert.deepEqual(named(formOf({ ...callback, x_amount: '5000' })), ['NUMBER_PRINTED_DIFFERENTLY x_amount']);
});

test('a body is read according to its media type', () => {
  assert.deepEqual(
    named(bodyWith(), { contentType: 'application/x-www-form-urlencoded' })[0],
    'SIGNATURE_MISSING x_signature',
  );
  assert.deepEqual(named('x_amount=1', { contentType: 'application/json' }), ['INVALID_JSON null']);
});

test('no explanation contains a secret, a value or an expected signature', () => {
  for (const fault of faults) {
    const body = bodyWith(fault);
    const answer: string = JSON.stringify(explain({ body, secret, otherSecrets: otherSecrets ?? [] }));
    assert.ok(!/[0-9a-f]{40}|[A-Za-z0-9+/]{43}=/.test(answer), answer);
    for (const text of [secret, production, 'Ana+shop', 'Svc-0123', 'ORD-1']) assert.ok(!answer.includes(text), answer);
  }
});

test('the search stops when its budget is spent, and then names nothing', () => {
  const body = bodyWith(fault('1000.0'));
  assert.deepEqual(explain({ body, secret, budget: 20 }).causes, []);
  assert.equal(explain({ body, secret, budget: 4000 }).causes.length, 1);
});

test('a sent field that is never signed is named as it is, without the advice to sign it', () => {
  const fields = JSON.parse(resigned(bodyWith())) as object;
  const unknown = JSON.stringify({ ...fields, x_color: 'red' });
  assert.deepEqual(named(unknown), ['UNKNOWN_FIELD x_color']);
  assert.deepEqual(named(JSON.stringify({ ...fields, x_document: '' })), ['INVALID_TYPE x_document']);
});

test('a body that is no JSON object is named as that, not by the ten fields that it lacks', () => {
  assert.deepEqual(named('[1]'), ['NOT_AN_OBJECT null']);
  assert.deepEqual(named(''), ['INVALID_JSON null']);
  assert.deepEqual(named(`\n  ${resigned(bodyWith())}`), []);
});

function named(body: string, options: Partial<ExplainOptions> = {}): string[] {
  return explain({ body, secret, otherSecrets: otherSecrets ?? [], ...options }).causes.map(
    ({ code, field }) => `${code} ${field}`,
  );
}

function nameOf({ code, field }: Fault): string {
  return `${code} ${field}`;
}

function fault(name: string): Fault {
  return faults.find((candidate) => candidate.name === name) as Fault;
}

/** Returns the body with an ordinary reference and these changes, correctly signed. */
function resigned(body: string, change: Record<string, unknown> = {}): string {
  const { x_signature: _, ...fields } = { ...JSON.parse(body), x_reference: 'ORD-1', ...change };
  const message = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  return JSON.stringify({ ...fields, x_signature: computeSignature(message, signingKey(secret)) });
}
