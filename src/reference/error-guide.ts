/** The guide on an error's page, besides its title and fix. The examples are code, the same in both languages. */
export type ErrorGuide = {
  readonly next: NextStep;
  readonly wrong: string;
  readonly right: string;
  /** The usual causes. */
  readonly causes: { readonly en: readonly string[]; readonly es: readonly string[] };
};

/** The next steps for a caller without a shell on the server. `{base}` is replaced by the path before every page. */
export const NEXT_STEPS = {
  body: {
    en: 'Paste the body, as your program sent it, into [the explainer](/docs/sign#explain): it names every wrong field. The body is not stored.',
    es: 'Pega el cuerpo, tal como lo envió tu programa, en [el explicador](/docs/sign#explain): nombra cada campo errado. El cuerpo no se guarda.',
  },
  sign: {
    en: 'Paste the refused body into [the explainer](/docs/sign#explain). With development tokens it names the mistake; it asks for no secret. Then compare with a signature that [your browser computes](/docs/sign).',
    es: 'Pega el cuerpo rechazado en [el explicador](/docs/sign#explain). Con tokens de desarrollo dice cuál es el error; no pide ningún secreto. Después compara con una firma que [calcula tu navegador](/docs/sign).',
  },
  api: {
    en: 'Compare your request with the example of the [API reference](/docs/reference), and try it with development tokens first.',
    es: 'Compara tu solicitud con el ejemplo de la [referencia de la API](/docs/reference), y pruébala primero con tokens de desarrollo.',
  },
  logIn: {
    en: 'Log in again from your program, as the [API reference](/docs/reference#access) shows, and keep the new access token. If your password does not work, ask the people who run the service for a new one.',
    es: 'Inicia sesión de nuevo desde tu programa, como muestra la [referencia de la API](/docs/reference#access), y guarda el token de acceso nuevo. Si tu contraseña no sirve, pide una nueva a quienes operan el servicio.',
  },
  ask: {
    en: 'Write to the people who run the service. Send them the `request_id` of the response and the time; never a token, a password or a secret.',
    es: 'Escribe a quienes operan el servicio. Dales el `request_id` de la respuesta y la hora; nunca un token, una contraseña ni un secreto.',
  },
  wait: {
    en: 'Wait as long as `Retry-After` says and send the same request again. If the error continues for minutes, write to the people who run the service, with the `request_id`.',
    es: 'Espera lo que dice `Retry-After` y envía la misma solicitud otra vez. Si el error sigue por minutos, escribe a quienes operan el servicio, con el `request_id`.',
  },
  look: {
    en: 'Read the transaction first (`GET /trxs/{id}`). Decide by its state, not by the memory of your program.',
    es: 'Lee primero la transacción (`GET /trxs/{id}`). Decide por su estado, no por lo que recuerda tu programa.',
  },
  ignore: {
    en: 'Answer the callback with 400 and do nothing for the order. If genuine callbacks are refused too, read [Receive callbacks](/docs/quickstart-callbacks).',
    es: 'Responde el callback con 400 y no hagas nada con la orden. Si también se rechazan callbacks genuinos, lee [Recibir callbacks](/docs/es/quickstart-callbacks).',
  },
} as const;

type NextStep = keyof typeof NEXT_STEPS;

/** Builds a row of the tables of guides. */
export function guide(
  next: NextStep,
  [wrong, right]: readonly [wrong: string, right: string],
  en: readonly string[],
  es: readonly string[],
): ErrorGuide {
  return { next, wrong, right, causes: { en, es } };
}
