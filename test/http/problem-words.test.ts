import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { problem, SigningError } from '../../protocol/signing-error.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { CATALOGUE, type ErrorCode, Problem } from '../../src/error-catalogue.ts';
import { errorItem } from '../../src/error-item.ts';
import { answerLanguage, signingItem, wordsOf } from '../../src/http/problem-words.ts';
import { checkOutboundUrl } from '../../src/lib/network/address-filter.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';

const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });

suite('the words of errors', () => {
  test('are English unless Spanish is asked for', () => {
    for (const header of [undefined, '', '*', 'de', 'en-US,es;q=0.8'])
      assert.equal(answerLanguage(header), 'en', String(header));
    for (const header of ['es', 'es-CL,es;q=0.9,en;q=0.8', 'de, es;q=0.5'])
      assert.equal(answerLanguage(header), 'es', header);
  });

  test('differ between Spanish and English for every code', () => {
    for (const code of Object.keys(CATALOGUE) as ErrorCode[]) {
      const [en, es] = [wordsOf(new Problem(code), 'en'), wordsOf(new Problem(code), 'es')];
      assert.notEqual(es.title, en.title, code);
      assert.notEqual(es.detail, en.detail, code);
    }
  });

  test('the answer is in the language that the client asks for, with the same code and status', async () => {
    await using server = await startTestServer(createTestApp(db));
    const english = await server.post('/trxs', { json: { x_amount: '1' } });
    assert.equal(english.headers.get('content-language'), null);
    const spanish = await server.post('/trxs', { json: { x_amount: '1' }, headers: { 'accept-language': 'es-CL' } });
    assert.equal(spanish.headers.get('content-language'), 'es');
    assert.match(String(spanish.headers.get('vary')), /accept-language/i);
    const [en, es] = [jsonOf(english), jsonOf(spanish)];
    assert.deepEqual([spanish.status, es['code'], es['type']], [english.status, en['code'], en['type']]);
    assert.equal(es['title'], 'Falta un campo obligatorio');
    assert.equal(es['message'], es['title']);
    const places = (body: typeof es) =>
      (body['errors'] as { pointer: string; code: string }[]).map((one) => [one.pointer, one.code]);
    assert.deepEqual(places(es), places(en));
    assert.match(String(es['detail']), /^x_account_id falta\. Envía el campo: no tiene/);
  });

  test('where a body is wrong is said in both languages, and the name of a field stays as it is', async () => {
    await using server = await startTestServer(createTestApp(db));
    const rows: [body: string, en: RegExp, es: RegExp][] = [
      ['', /is not valid JSON: it is empty\./, /^El cuerpo no es JSON válido: está vacío\. Arma/],
      ['{"a":x}', /: unexpected character at 6\./, /: carácter inesperado en la posición 6\. Arma/],
      [
        '{"a":[[[[]]]]}',
        /^a is nested too deeply: at most 4 levels are taken\. Nest fewer levels, counting the outer object\.$/,
        /^a tiene demasiados niveles: se aceptan a lo más 4 niveles\. Anida menos niveles, contando el objeto de afuera\.$/,
      ],
      ['{"a":', /: it ends too early\./, /: termina antes de tiempo\./],
    ];
    for (const [body, en, es] of rows)
      for (const [language, said] of [['en', en] as const, ['es', es] as const]) {
        const headers = { 'content-type': 'application/json', 'accept-language': language };
        const answer = jsonOf(await server.post('/trxs', { body, headers }));
        assert.match(String(answer['detail']), said);
      }
    const ambiguous = signingItem(problem('AMBIGUOUS_FIELD', 'x_reference', 'x_result'));
    assert.equal(ambiguous.es.message, 'x_reference contiene el nombre de otro campo: x_result.');
    const bytes = signingItem(problem('INVALID_ENCODING', null, 'these bytes are not UTF-8'));
    assert.equal(bytes.es.message, 'El cuerpo no es texto bien formado: estos bytes no son UTF-8.');
    const many = signingItem(problem('TOO_MANY_FIELDS', null, 'at most 64 are taken'));
    assert.equal(many.es.message, 'El cuerpo tiene demasiados campos: se aceptan a lo más 64.');
  });

  test('each error in a body is reported in Spanish, and the answer has no further members', () => {
    const error = new SigningError([problem('MISSING_FIELD', 'x_amount'), problem('UNKNOWN_FIELD', 'x_foo')]);
    const errors = error.problems.map(signingItem);
    const own = errorItem('/rut', 'INVALID_PARAMETER', ['no', 'Send another.', 'rut no es esto.', 'Envía otro.']);
    const said = wordsOf(new Problem('INVALID_BODY', { errors: [...errors, own] }), 'es');
    assert.deepEqual(
      said.errors.map(({ message }) => message),
      ['x_amount falta.', 'x_foo no es un campo de este mensaje.', 'rut no es esto.'],
    );
    assert.equal(said.errors[2]?.fix, 'Envía otro.');
    for (const item of said.errors) assert.deepEqual(Object.keys(item), ['pointer', 'code', 'message', 'fix']);
  });

  test('a value of the wrong length or type is told the form that is right, in both languages', () => {
    const [long, type] = [problem('FIELD_TOO_LONG', 'x_reference'), problem('INVALID_TYPE', 'x_products')];
    assert.match(signingItem(long).fix, /at most 100 characters in a reference/);
    assert.match(signingItem(long).es?.fix ?? '', /a lo más 100 caracteres en una referencia/);
    assert.match(signingItem(type).fix, /x_products and the other unsigned fields must be objects or arrays/);
    assert.match(signingItem(type).es?.fix ?? '', /x_products y los demás campos sin firma deben ser objetos o listas/);
  });

  test('a detail exists in both languages, and repeats its errors in the requested one', () => {
    const own = new Problem('NOT_FOUND', { detail: { en: 'No such link.', es: 'No existe ese enlace.' } });
    assert.equal(wordsOf(own, 'es').detail, 'No existe ese enlace.');
    const refusal = checkOutboundUrl(`https://shop.example.cl/${'x'.repeat(2048)}`, { allowPrivate: false });
    assert.ok(refusal !== null);
    const invalid = new Problem('INVALID_BODY', { errors: [{ pointer: '/url', ...refusal }] });
    assert.equal(wordsOf(invalid, 'en').detail, `${refusal.message} ${refusal.fix}`);
    assert.match(wordsOf(invalid, 'es').detail, /^La URL tiene más de 2048 caracteres\. Acórtala/);
    assert.equal(invalid.message, `${refusal.message} ${refusal.fix}`);
  });
});
