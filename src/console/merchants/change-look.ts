import type { App } from '../../app.ts';
import { readRut } from '../../bank-validation/rut.ts';
import { readUpload, type Upload } from '../../http/read-upload.ts';
import type { Language } from '../../lib/language.ts';
import { parseObject } from '../../lib/parse-object.ts';
import { checkLogo } from '../../payment-services/look.ts';
import {
  DEFAULT_RECEIPTS,
  MOST_PAYER_ATTEMPTS,
  RECEIPT_WISHES,
  type ReceiptWish,
  readPayerAttempts,
} from '../../payment-services/payment-service.ts';
import { selectPayerAttempts, selectReceipts } from '../../payment-services/payment-service-queries.ts';
import { readLookText } from '../../payment-services/read-look.ts';
import { type LookChanges, readLook, setLook } from '../../payment-services/set-look.ts';
import { setPayerAttempts } from '../../payment-services/set-payer-attempts.ts';
import { setReceipts } from '../../payment-services/set-receipts.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, inParts, notFoundPage } from '../console-visit.ts';
import type { Fault } from '../notice.ts';
import { LOOK_FIELDS, type ShopPage, sendLookForm, valuesOf } from './look-form.ts';
import { merchantOf, seesProduction } from './visible-merchants.ts';

/** Shows the form for the pay page of a merchant. */
export const getConsoleLook = consoleHandler(async (app, visit) => {
  const merchant = await merchantOf(app, visit);
  if (merchant === null) return visit.send(404, notFoundPage(visit.language));
  return sendLookForm(app, visit, merchant, { page: await findShopPage(app, merchant.id) });
});

/** Saves the form. If one field is invalid, it saves nothing. */
export const postConsoleLook = consoleHandler(async (app, visit) => {
  const { language, request, send, goTo } = visit;
  const merchant = await merchantOf(app, visit);
  if (merchant === null || !seesProduction(merchant)) return send(404, notFoundPage(language));
  const upload = await readUpload(request);
  const page = await findShopPage(app, merchant.id);
  const fields = withoutOld(upload.fields, page);
  const wish = readWish({ ...upload, fields }, language);
  if (wish.refusals.length > 0) {
    return sendLookForm(app, visit, merchant, { page, typed: fields, refusals: wish.refusals });
  }
  await inParts(() => save(app, merchant.id, page, wish, visit));
  return goTo(`/merchants/${merchant.id}/look?done=saved`);
});

/**
 * Returns the fields with the present settings in place of those that the person left as the form showed them: somebody
 * may have changed them meanwhile.
 */
function withoutOld(fields: Record<string, string>, page: ShopPage): Record<string, string> {
  const shown = parseObject(fields['shown'] ?? '');
  if (shown === null) return fields;
  const left = Object.entries(valuesOf(page)).filter(([name]) => fields[name] === shown[name]);
  return { ...fields, ...Object.fromEntries(left) };
}

async function findShopPage(app: App, id: string): Promise<ShopPage> {
  const [look, payerAttempts, receipts] = await Promise.all([
    readLook(app.db, id),
    selectPayerAttempts(app.db, id),
    selectReceipts(app.db, id),
  ]);
  return { look, payerAttempts, receipts: receipts ?? DEFAULT_RECEIPTS };
}

type Wish = { look: LookChanges; payerAttempts: number | null; receipts: ReceiptWish; refusals: Fault[] };

function readWish({ fields, file }: Upload, language: Language): Wish {
  const wish: Wish = { look: {}, payerAttempts: null, receipts: DEFAULT_RECEIPTS, refusals: [] };
  for (const name of LOOK_FIELDS) {
    const typed = (fields[name] ?? '').trim();
    const read = typed === '' ? { value: null } : readLookText(name, typed);
    if ('refusal' in read) wish.refusals.push({ said: read.refusal[language], field: name });
    else wish.look[name] = read.value;
  }
  readRutInto(wish, fields, language);
  const checked = file === null ? null : checkLogo(file.content);
  if (fields['noLogo'] !== undefined) wish.look.logo = null;
  else if (checked !== null && 'refusal' in checked)
    wish.refusals.push({ said: checked.refusal[language], field: 'logo' });
  else if (checked !== null && file !== null) wish.look.logo = { image: checked.image, bytes: file.content };
  const attempts = (fields['payerAttempts'] ?? '').trim();
  wish.payerAttempts = attempts === '' ? null : readPayerAttempts(attempts);
  if (attempts !== '' && wish.payerAttempts === null) {
    const said = tell(language, 'shop_page.bad_attempts', { most: MOST_PAYER_ATTEMPTS });
    wish.refusals.push({ said, field: 'payerAttempts' });
  }
  wish.receipts = RECEIPT_WISHES.find((one) => one === fields['receipts']) ?? DEFAULT_RECEIPTS;
  return wish;
}

function readRutInto(wish: Wish, fields: Record<string, string>, language: Language): void {
  const typed = (fields['rut'] ?? '').trim();
  const read = typed === '' ? null : readRut(typed);
  if (read === null) wish.look.rut = null;
  else if (read.valid) wish.look.rut = read.canonical;
  else wish.refusals.push({ said: tell(language, 'shop_page.bad_rut'), field: 'rut' });
}

/** Writes only the fields that differ from `now`, so that the audit log has only changes. */
async function save(app: App, id: string, now: ShopPage, wish: Wish, { by }: ConsoleVisit): Promise<void> {
  const { logo, ...texts } = wish.look;
  const changed = Object.entries(texts).filter(([name, value]) => now.look[name as keyof typeof texts] !== value);
  const isSameLogo = logo === undefined || (logo === null && now.look.logo === null);
  const changes = { ...Object.fromEntries(changed), ...(!isSameLogo && { logo }) };
  if (Object.keys(changes).length > 0) await setLook(app, id, changes, by);
  if (wish.payerAttempts !== now.payerAttempts) await setPayerAttempts(app, id, wish.payerAttempts, by);
  if (wish.receipts !== now.receipts) await setReceipts(app, id, wish.receipts, by);
}
