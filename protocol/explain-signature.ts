import type { Field } from './field.ts';
import { checkCallbackGrammar, checkRequestGrammar } from './field-grammar.ts';
import { CALLBACK_FIELDS, REQUEST_FIELDS, SIGNATURE_FIELD } from './field-names.ts';
import { signingKey } from './hmac.ts';
import { keyHypotheses, type OtherSecret } from './key-hypotheses.ts';
import { choiceHypotheses, shapeHypotheses } from './message-hypotheses.ts';
import { needNode, node } from './platform.ts';
import { readFormFields } from './read-form-fields.ts';
import { readJsonFields } from './read-json-fields.ts';
import { type ReceivedSignature, readSignature } from './received-signature.ts';
import { isCallback } from './sign-fields.ts';
import { type CauseCode, FIXES, type ProgramLanguage } from './signature-causes.ts';
import { byName, concatenated, type Draft, type Hypothesis, type Order, proves, withParts } from './signing-draft.ts';
import { type Problem, problem, type SigningCode, SigningError } from './signing-error.ts';
import { checkCallbackFields, checkRequestFields } from './signing-rules.ts';
import { valueHypotheses } from './value-hypotheses.ts';

export type ExplainOptions = {
  /** The raw body that was refused, with its `x_signature`. */
  body: string | Uint8Array;
  /** Its media type. Without one, an empty body and a body that starts with a brace or a bracket are JSON. */
  contentType?: string;
  /** The Secret Token it should have been signed with. */
  secret: string;
  /** Secrets it may have been signed with by mistake. */
  otherSecrets?: readonly OtherSecret[];
  /**
   * The most signatures to compute. The default 25,000 covers every pair for a usual body and takes up to 60 ms. 4,000
   * take a quarter of that and cover all single mistakes and the likelier pairs. A signature of a long body counts
   * several times.
   */
  budget?: number;
  /** Whether the payment service would take `http:` URLs for this token. */
  allowHttp?: boolean;
};

/** `field` is null if the cause concerns the whole body. `fixes` has the same fix for each programming language. */
export type Cause = {
  code: CauseCode | SigningCode;
  field: string | null;
  fix: string;
  fixes: Partial<Record<ProgramLanguage, string>>;
};

/** `verified`: the signature is right. `causes` are then the rules that the body breaks, if any. */
export type Explanation = { verified: boolean; causes: Cause[] };

/**
 * Explains why a signature was refused. Each cause about signing is proved: the same mistake reproduces the received
 * signature. It tries single mistakes and pairs. Other causes are facts about the body: a broken rule, or a signature
 * in the wrong form. No causes and not verified means another reason, such as a value that changed on the way, or an
 * unknown secret.
 *
 * Never reveals the expected signature, and accepts nothing.
 */
export function explain(options: ExplainOptions): Explanation {
  if (node === undefined) needNode();
  const body = typeof options.body === 'string' ? Buffer.from(options.body) : options.body;
  let fields: Field[];
  try {
    fields = isJson(options.contentType, body) ? readJsonFields(body) : readFormFields(body);
  } catch (error) {
    if (error instanceof SigningError) return { verified: false, causes: [ofProblem(error.problems[0])] };
    throw error;
  }
  return explainFields(fields, options);
}

function explainFields(fields: readonly Field[], options: ExplainOptions): Explanation {
  const { problems, signature, grammar } = check(fields, options);
  const rules = problems.map(ofProblem);
  const refused = (...causes: Cause[]): Explanation => ({ verified: false, causes: [...causes, ...rules] });
  if (signature === null) return refused(ofProblem(problem('SIGNATURE_MISSING', SIGNATURE_FIELD)));
  const received = readSignature(signature);
  if (received === null) return refused(ofCode('SIGNATURE_MALFORMED', SIGNATURE_FIELD));
  const form = received.causes.map((code) => ofCode(code, SIGNATURE_FIELD));
  const plain = plainDraft(fields, options.secret);
  if (proves(plain, received.digest, received.hash)) {
    if (form.length > 0) return refused(...form);
    return { verified: true, causes: problems.length > 0 ? rules : grammar().map(ofProblem) };
  }
  const hypotheses = hypothesesFor(fields, options.otherSecrets ?? []);
  const search = new Search(plain, received, options.budget ?? 25_000);
  const found = search.find(hypotheses).filter((cause) => !isOutOfPlace(cause));
  return refused(...form, ...found.map(({ code, field }) => ofCode(code, field)));
}

/** A field that no signature covers is reported as a broken rule. "Sign it" would lead away from its fix. */
function isOutOfPlace({ code, field }: Hypothesis): boolean {
  return code === 'FIELD_NOT_SIGNED' && field !== null && !SIGNED_NAMES.has(field);
}

const SIGNED_NAMES = new Set<string>([...REQUEST_FIELDS, ...CALLBACK_FIELDS]);

function isJson(contentType: string | undefined, body: Uint8Array): boolean {
  if (contentType !== undefined) return contentType.includes('json');
  return /^(\xef\xbb\xbf)?\s*([{[]|$)/.test(Buffer.from(body.subarray(0, 64)).toString('latin1'));
}

function check(fields: readonly Field[], { allowHttp }: ExplainOptions) {
  if (isCallback(fields)) {
    const { problems, signature, values } = checkCallbackFields(fields);
    return { problems, signature, grammar: () => checkCallbackGrammar(values) };
  }
  const { problems, signature, values } = checkRequestFields(fields);
  return { problems, signature, grammar: () => checkRequestGrammar(values, { allowHttp: allowHttp === true }) };
}

/** Returns the draft of a correct client for these fields. */
function plainDraft(fields: readonly Field[], secret: string): Draft {
  const parts = fields.filter(({ name, kind }) => {
    return name.startsWith('x_') && name !== SIGNATURE_FIELD && kind !== 'null' && kind !== 'object';
  });
  const key = signingKey(secret);
  return withParts({ parts, order: byName, layout: concatenated, encoding: 'utf8', secret, key, recipe: null }, parts);
}

/** Lists the hypotheses, the likelier first, so that a small budget leaves out only unlikely pairs. */
function hypothesesFor(fields: readonly Field[], otherSecrets: readonly OtherSecret[]): Hypothesis[] {
  const serviceToken = fields.find((field) => field.name === 'x_account_id')?.text ?? '';
  return [
    ...keyHypotheses(serviceToken, otherSecrets),
    ...shapeHypotheses(fields),
    ...valueHypotheses(fields),
    ...choiceHypotheses(fields),
  ];
}

class Search {
  private readonly plain: Draft;
  private readonly received: ReceivedSignature;
  private readonly cost: number;
  private left: number;

  constructor(plain: Draft, received: ReceivedSignature, budget: number) {
    this.plain = plain;
    this.received = received;
    this.left = budget;
    // A body of sixteen times the usual length takes sixteen times as long to sign.
    this.cost = 1 + Math.floor(plain.layout(plain.parts).length / 1024);
  }

  /** Finds one or two hypotheses that explain the signature; empty if none does within the budget. */
  find(hypotheses: readonly Hypothesis[]): Hypothesis[] {
    const singles = this.withEffect(hypotheses);
    for (const { hypothesis, draft } of singles) {
      if (this.proves(draft)) return [hypothesis];
    }
    // Along the diagonals, so that pairs of likely hypotheses come first.
    for (let sum = 1; sum < 2 * singles.length && this.left > 0; sum++) {
      for (let first = Math.max(0, sum - singles.length + 1); first < sum - first; first++) {
        const one = singles[first] as Single;
        const other = singles[sum - first] as Single;
        if (this.proves(other.hypothesis.apply(one.draft))) return [one.hypothesis, other.hypothesis];
      }
    }
    return [];
  }

  /** Every attempt uses up the budget, even if the draft is null. */
  private proves(draft: Draft | null): boolean {
    this.left -= this.cost;
    return this.left >= 0 && draft !== null && proves(draft, this.received.digest, this.received.hash);
  }

  /** Keeps the hypotheses that change the message or the key in a new way, each with its draft. */
  private withEffect(hypotheses: readonly Hypothesis[]): Single[] {
    const { plain } = this;
    const seen = new Map<Order, Set<string>>([[plain.order, new Set([plain.layout(plain.parts)])]]);
    return hypotheses.flatMap((hypothesis) => {
      const draft = hypothesis.apply(plain);
      if (draft === null) return [];
      if (draft.key !== plain.key || draft.recipe !== plain.recipe || draft.encoding !== plain.encoding) {
        return [{ hypothesis, draft }];
      }
      const messages = seen.get(draft.order) ?? new Set();
      seen.set(draft.order, messages);
      const message = draft.layout(draft.parts);
      if (messages.has(message)) return [];
      messages.add(message);
      return [{ hypothesis, draft }];
    });
  }
}

type Single = { hypothesis: Hypothesis; draft: Draft };

function ofCode(code: CauseCode, field: string | null): Cause {
  const { fix, ...fixes } = FIXES[code];
  return { code, field, fix, fixes };
}

function ofProblem({ code, field, fix }: Problem): Cause {
  return { code, field, fix, fixes: {} };
}
