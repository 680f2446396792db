import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { currentDirectory, shippedBankDirectory } from '../../src/bank-validation/directory/current-directory.ts';
import {
  importRegulatorList,
  type RegulatorImport,
} from '../../src/bank-validation/directory/import-bank-directory.ts';
import { listBanks } from '../../src/bank-validation/directory/list-banks.ts';
import { forEachEngine } from '../support/engines.ts';
import { makeWorkbook } from '../support/make-workbook.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { untilQueued } from '../support/until-queued.ts';

/** Names as the regulator writes them: capitals, no accents, special abbreviations. */
const LISTED: readonly (readonly [code: string, name: string])[] = [
  ['001', 'BANCO DE CHILE'],
  ['009', 'BANCO INTERNACIONAL'],
  ['012', 'BANCO DEL ESTADO DE CHILE'],
  ['014', 'SCOTIABANK CHILE'],
  ['016', 'BANCO DE CREDITO E INVERSIONES'],
  ['028', 'BANCO BICE'],
  ['031', 'HSBC BANK (CHILE)'],
  ['037', 'BANCO SANTANDER-CHILE'],
  ['039', 'BANCO ITAÚ CHILE'],
  ['041', 'JP MORGAN CHASE BANK, N. A.'],
  ['049', 'BANCO SECURITY'],
  ['051', 'BANCO FALABELLA'],
  ['053', 'BANCO RIPLEY'],
  ['055', 'BANCO CONSORCIO (ex BANCO MONEX)'],
  ['059', 'BANCO BTG PACTUAL CHILE'],
  ['061', 'BANK OF CHINA, AGENCIA EN CHILE'],
  ['062', 'TANNER BANCO DIGITAL'],
  ['063', 'TENPO BANK CHILE'],
  ['064', 'BANCO DEL SUR AUSTRAL'],
  ['764', 'FINTOC PAGOS S.A.'],
];

const TEXT = csv(LISTED);

forEachEngine("importing the regulator's list as it is downloaded", (openTestDatabase) => {
  const forms: [form: string, bytes: () => Buffer | Promise<Buffer>][] = [
    ['text with semicolons', () => Buffer.from(TEXT)],
    ['text of Windows', () => Buffer.from(TEXT, 'latin1')],
    ['a workbook whose codes have lost their zeros', () => workbook()],
    ['the page', () => Buffer.from(page())],
    ['the page under the name of a workbook', () => Buffer.from(`<table>${htmlRows()}</table>`)],
  ];
  for (const [form, bytes] of forms) {
    test(`${form} gives the changes, the bank missing from it, and its source`, async () => {
      const now = createTestClock(Date.UTC(2026, 10, 22, 12));
      const app = createTestApp(await openTestDatabase(), { now });
      const outcome = await importRegulatorList(app, told(await bytes()), TESTER);
      assert.ok('version' in outcome, JSON.stringify(outcome));
      assert.deepEqual(
        [outcome.added, outcome.removed, outcome.changed, outcome.missing],
        [['064'], [], ['063', '764'], ['060']],
      );
      assert.deepEqual(outcome.changes, [
        { code: '063', member: 'status', before: 'authorised', after: 'active' },
        { code: '063', member: 'effective', before: '2026-01-19', after: null },
        { code: '764', member: 'confidence', before: 'low', after: 'medium' },
        { code: '064', member: 'name', before: null, after: 'BANCO DEL SUR AUSTRAL' },
      ]);
      assert.match(
        outcome.source ?? '',
        /^list of the regulator, lista\.dat \(SHA-256 [0-9a-f]{16}\), imported on 2026-11-22$/,
      );

      now.advance(1000);
      const { banks, asOf } = await currentDirectory(app);
      assert.equal(asOf, form.startsWith('the page under') ? '2026-11-22' : '2026-09-30');
      assert.equal(banks.get('016')?.name, 'Banco de Crédito e Inversiones');
      assert.deepEqual(
        [banks.get('049')?.status, banks.get('064')?.transferReachable, banks.get('064')?.confidence],
        ['merged', 'unknown', 'medium'],
      );
      assert.equal((await listBanks(app)).source, outcome.source);
    });
  }

  const refused: [why: string, told: RegulatorImport | Promise<RegulatorImport>, code: string, says: RegExp][] = [
    [
      'an invented pair',
      told(change('009', 'BANCO SANTANDER')),
      'BANK_LIST_NAME_CONFLICT',
      /Code 009 is "Banco Internacional" here/,
    ],
    [
      'an invented pair that was accepted',
      { ...told(change('009', 'BANCO SANTANDER')), accepted: ['009'] },
      'BANK_LIST_WRONG_PAIR',
      /comes from a list that is known to be wrong/,
    ],
    [
      'a code that only unreliable lists have',
      told(csv([...LISTED, ['152', 'PREPAGO LOS HEROES']])),
      'BANK_LIST_REJECTED_CODE',
      /152/,
    ],
    ['a list with few known banks', told(csv(LISTED.slice(0, 5))), 'BANK_LIST_UNFAMILIAR', /Only 5 entries/],
    ['an older list', { ...told(TEXT), asOf: '2025-12-31' }, 'BANK_LIST_OLDER', /of 2025-12-31/],
    [
      'a list with a future date',
      { ...told(TEXT), asOf: '2099-01-01' },
      'BANK_LIST_INVALID',
      /2099-01-01, which is still to/,
    ],
    [
      'a list with a day that the calendar lacks',
      { ...told(TEXT), asOf: '2026-02-30' },
      'BANK_LIST_INVALID',
      /2026-02-30, which is not a date/,
    ],
    ['two names for one code', told(csv([...LISTED, ['001', 'BANCO RIPLEY']])), 'BANK_LIST_DUPLICATE_CODE', /Code 001/],
    [
      'a list without its columns',
      told('Bancos;Sucursales\n001;12\n'),
      'BANK_LIST_INVALID',
      /"Código" and "Institución"/,
    ],
    [
      'a page without a table',
      told('<html><body>Lo sentimos</body></html>'),
      'BANK_LIST_INVALID',
      /a page without a table/,
    ],
    [
      'a page with several such tables',
      told(`<table>${htmlRows()}</table><table><tr><td>Inicio</table><table>${htmlRows()}</table>`),
      'BANK_LIST_INVALID',
      /more than one such table: 1, 3\./,
    ],
    [
      'a workbook with several such sheets',
      workbook(['Bancos', 'Cooperativas']).then(told),
      'BANK_LIST_INVALID',
      /More than one sheet has such a table: Bancos, Cooperativas\./,
    ],
  ];
  for (const [why, list, code, says] of refused) {
    test(`${why} changes nothing`, async () => {
      const db = await openTestDatabase();
      const app = createTestApp(db, { now: createTestClock(Date.UTC(2026, 10, 22, 12)) });
      const outcome = await importRegulatorList(app, await list, TESTER);
      assert.ok('problems' in outcome);
      const [problem] = outcome.problems.filter((one) => one.code === code);
      assert.match(problem?.message ?? JSON.stringify(outcome.problems), says);
      assert.equal((await db.query('select * from bank_directories')).length, 0);
    });
  }

  test('of two lists that are imported at the same time, the later one is merged into the earlier one', async () => {
    const now = createTestClock(Date.UTC(2026, 10, 22, 12));
    const app = createTestApp(await openTestDatabase(), { now });
    const others = LISTED.map(([code, name]) =>
      code === '064' ? (['065', 'BANCO DEL NORTE GRANDE'] as const) : ([code, name] as const),
    );
    let later: ReturnType<typeof importRegulatorList> | undefined;
    const earlier = onQuery(app, async (sql) => {
      if (later !== undefined || !sql.startsWith('update audit_head set hash')) return;
      later = importRegulatorList(app, told(csv(others)), TESTER);
      await untilQueued(app.db);
    });
    const first = await importRegulatorList(earlier, told(TEXT), TESTER);
    const second = await later;
    assert.ok('version' in first && second !== undefined && 'version' in second);
    assert.deepEqual([first.added, second.added, second.removed], [['064'], ['065'], []]);
    now.advance(1000);
    const { banks } = await currentDirectory(app);
    assert.ok(banks.has('064') && banks.has('065'));
    const [act] = await app.db.query('select said_before from audit_log order by link desc limit 1');
    assert.ok(String(act?.['said_before']).includes(first.version));
  });

  test('a renamed bank keeps its old name as an alias after a person has accepted the new one', async () => {
    const app = createTestApp(await openTestDatabase(), { now: createTestClock(Date.UTC(2026, 10, 22, 12)) });
    const outcome = await importRegulatorList(
      app,
      {
        ...told(change('055', 'BANCO ANDES DEL PACIFICO')),
        accepted: ['055'],
      },
      TESTER,
    );
    assert.ok('version' in outcome, JSON.stringify(outcome));
    assert.deepEqual(
      outcome.changes.filter(({ code }) => code === '055').map(({ member, after }) => [member, after]),
      [
        ['name', 'BANCO ANDES DEL PACIFICO'],
        ['aliases', 'Banco Consorcio, Consorcio, Banco Monex'],
      ],
    );
  });

  test('foreign branches, advisers and card operators are not imported as banks', async () => {
    const app = createTestApp(await openTestDatabase());
    const others = [
      ['930', 'BCI - SUCURSAL MIAMI', 'Bancos'],
      ['231', 'BANCHILE ASESORIA FINANCIERA S.A.', 'Asesorías Financieras'],
      ['800', 'SOCIEDAD OPERADORA DE TARJETAS S.A.', 'Operadores de Tarjetas de Débito'],
      ['768', 'PREPAGO DEL VALLE S.A.', 'Emisores de Tarjetas de Pago con Provisión de Fondos'],
    ];
    const rows = [...LISTED.map(([code, name]) => [code, name, 'Bancos']), ...others];
    const text = `Tipo;Código;Institución\n${rows.map(([code, name, kind]) => `${kind};${code};${name}`).join('\n')}\n`;
    const outcome = await importRegulatorList(app, told(text), TESTER);
    assert.deepEqual('added' in outcome && outcome.added, ['064', '768']);
  });
});

suite('the list of the release', () => {
  test('has a date, so that its age is known', () => {
    assert.ok(!Number.isNaN(Date.parse(shippedBankDirectory.asOf)));
  });
});

function told(bytes: string | Buffer): RegulatorImport {
  return { file: 'lista.dat', bytes: Buffer.from(bytes), asOf: null, accepted: [] };
}

function change(code: string, name: string): string {
  return csv(LISTED.map(([own, ownName]) => [own, own === code ? name : ownName]));
}

function csv(rows: readonly (readonly [code: string, name: string])[]): string {
  return `Bancos fiscalizados. Actualizado al 30/09/2026\n\nCódigo;Institución\n${rows.map((row) => row.join(';')).join('\n')}\n`;
}

function workbook(names = ['Bancos']): Promise<Buffer> {
  const rows = LISTED.map(([code, name]) => [Number(code), name]);
  return makeWorkbook(
    names.map((name) => ({
      name,
      rows: [['Bancos al 30 de septiembre de 2026'], [], ['Cód. SBIF', 'Nombre Institución'], ...rows, ['Fuente: CMF']],
    })),
  );
}

function page(): string {
  return `<!DOCTYPE html><html><head><title>x</title><script>if (1 < 2) document.write('<table>')</script></head><body>
<!-- <table><tr><td>001</td></tr></table> --><table class="menu"><tr><td><a href="/">Inicio</a></td></tr></table>
<table border=1><caption>Bancos</caption><tr><td colspan=2>Actualizado a: 2026-09-30</td></tr>${htmlRows()}</table></body></html>`;
}

function htmlRows(): string {
  const rows = LISTED.map(
    ([code, name]) => `<tr><td align="right">\n ${code} </td><td><b>${name.replace('Ú', '&Uacute;')}</b></td></tr>`,
  );
  return `<tr><th>C&oacute;digo</th><th>Instituci&#243;n</th></tr>${rows.join('')}`;
}
