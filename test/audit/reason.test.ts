import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReason } from '../../src/audit/reason.ts';

test('a reason with the RUT of a person is refused', () => {
  for (const rut of [
    '12.345.678-5',
    '12345678-5',
    '12345678 – 5',
    '12.345.605-k',
    '12345605-K',
    '12 345 678-5',
    'RUT12.345.678-5',
    'reembolso a run12345678-5',
    '12345678 - 5',
  ])
    assert.equal(isReason(`devuelto a ${rut}, que llamó`), false, rut);
});

test('a reason with a character that misleads its reader is refused', () => {
  for (const character of ['\n', '\u001B', '\u2028', '\u2029', '\u202E', '\u2066', '\u200E', '\u200F', '\u061C'])
    assert.equal(isReason(`devuelto${character}a Ana`), false, character);
});

test('a reason with a text that only resembles the RUT of a person is accepted', () => {
  for (const text of [
    'factura 12 de 76.543.210-3',
    'RUT 12.345.678-4, mal escrito',
    'orden 123456785',
    'del 2026-01-15 al 2026-01-20',
    'pedido A-112345678-51',
    'orden A12345678-5',
    'se cobró $1.234.567-4 de más',
    '12.345.678 - 5 cuotas',
    'vi la foto',
  ])
    assert.equal(isReason(text), true, text);
});
