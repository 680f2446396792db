import { createHmac, randomBytes } from 'node:crypto';
import type { CreateRequest, LoadPlan, ValidationRequest } from './load-plan.ts';

/**
 * Builds the requests of a run as raw bytes, no two alike. They are signed with Node's HMAC, like a shop that never saw
 * this code.
 */
export function prepareRequests({ port, prepared, request }: LoadPlan): Buffer[] {
  // Starts with a letter: ten digits and a number could be a card number, which is refused.
  const run = `r${randomBytes(5).toString('hex')}`;
  const head = headOf(port, request);
  const bodyOf = request.kind === 'create' ? createBodies(request, run) : validationBody;
  return Array.from({ length: prepared }, (_, index) => {
    const body = bodyOf(index);
    return Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
}

function headOf(port: number, request: CreateRequest | ValidationRequest): string {
  const path = request.kind === 'create' ? '/trxs' : '/validations/BankAccount';
  const bearer = request.kind === 'create' ? '' : `authorization: Bearer ${request.accessToken}\r\n`;
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n${bearer}`;
}

/**
 * Returns a function that builds the body of a signed create by its number. `run` keeps its references apart from other
 * runs.
 */
export function createBodies(request: CreateRequest, run: string): (index: number) => string {
  return (index) => {
    const fields: Record<string, string | number> = {
      x_account_id: request.serviceToken,
      x_amount: 12_990,
      x_currency: 'CLP',
      x_customer_email: 'compradora@example.cl',
      x_reference: request.references === 'random' ? randomBytes(10).toString('hex') : `${run}-${index}`,
      x_session_id: 'session-000001',
      x_shop_country: 'CL',
      x_url_callback: 'https://shop.example/callback',
      x_url_cancel: 'https://shop.example/cancel',
      x_url_complete: 'https://shop.example/complete',
    };
    const message = Object.entries(fields).flat().join('');
    const signature = createHmac('sha256', request.secretToken).update(message).digest('hex');
    return JSON.stringify({ ...fields, x_signature: signature });
  };
}

/** Returns a validation with a RUT and an account of an active bank; the numbers differ between requests. */
function validationBody(index: number): string {
  const number = 10_000_000 + (index % 9_000_000);
  return JSON.stringify({
    rut: `${number}-${checkCharacter(number)}`,
    bankData: { bankSBIFNumber: '016', bankAccount: String(20_000_000 + index) },
  });
}

/** Computes the check character: modulo 11 over the digits from the right, weighted 2 to 7. */
function checkCharacter(number: number): string {
  let sum = 0;
  let weight = 2;
  for (let rest = number; rest > 0; rest = Math.floor(rest / 10)) {
    sum += (rest % 10) * weight;
    weight = weight === 7 ? 2 : weight + 1;
  }
  const remainder = 11 - (sum % 11);
  return remainder === 11 ? '0' : remainder === 10 ? 'K' : String(remainder);
}
