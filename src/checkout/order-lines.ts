import { currencyExponent } from '../../protocol/currency-exponents.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** One line of an order from its shop. `amount` is in minor units; null if the lines do not add up to the total. */
export type OrderLine = { name: string; quantity: number; amount: number | null };

const MOST_LINES = 12;
const MOST_CHARACTERS = 80;

/**
 * Reads the order lines from `x_products`, which is not signed and whose members each shop names differently. Returns
 * no lines if one cannot be read or there are more than 12, and no amounts unless they add up to the transaction's
 * amount.
 */
export function orderLines({ unsigned_fields, amount, currency }: Transaction): OrderLine[] {
  const products = productsOf(unsigned_fields);
  const read = products.map((product) => lineOf(product, currency));
  if (read.length === 0 || read.length > MOST_LINES || read.some((line) => line === null)) return [];
  const lines = read as OrderLine[];
  const total = lines.reduce((sum, line) => sum + (line.amount ?? Number.NaN), 0);
  return total === amount ? lines : lines.map((line) => ({ ...line, amount: null }));
}

/** Returns the subject of a payment by a link without a shop; null for a shop's payment. */
export function linkSubject(transaction: Transaction): string | null {
  if (transaction.url_complete !== '') return null;
  return orderLines(transaction)[0]?.name ?? transaction.reference;
}

type Product = Readonly<Record<string, unknown>>;

function productsOf(unsignedFields: string | null): unknown[] {
  const { x_products: products } = JSON.parse(unsignedFields ?? '{}') as { x_products?: unknown };
  return Array.isArray(products) ? products : [];
}

function lineOf(product: unknown, currency: string): OrderLine | null {
  if (!isProduct(product)) return null;
  const name = first(product, ['name', 'nombre', 'title', 'description', 'descripcion']);
  if (typeof name !== 'string' || name.trim() === '') return null;
  const quantity = numberOf(first(product, ['quantity', 'qty', 'cantidad'])) ?? 1;
  const price = numberOf(first(product, ['price', 'precio', 'unit_price', 'unitPrice']));
  const minor = price === null ? null : price * 10 ** (currencyExponent(currency) ?? 2) * quantity;
  const amount = minor === null || Math.abs(minor - Math.round(minor)) > 1e-6 ? null : Math.round(minor);
  return { name: name.replace(/\s+/gu, ' ').trim().slice(0, MOST_CHARACTERS), quantity, amount };
}

function isProduct(product: unknown): product is Product {
  return typeof product === 'object' && product !== null;
}

function first(product: Product, names: readonly string[]): unknown {
  return names.map((name) => product[name]).find((value) => value !== undefined);
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 && number <= 1e12 ? number : null;
}
