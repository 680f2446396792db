import type { App } from '../app.ts';
import { countPasskeysOfOthers } from '../auth/factors/factor-queries.ts';
import { publicOrigin } from '../config.ts';
import { KEPT_KEYS } from '../sealing/kept-key.ts';
import { keysOf } from '../sealing/sealed-kind.ts';
import { type Finding, fine, problem } from './finding.ts';
import { policyReports } from './policy-reports.ts';
import { postgresFindings } from './postgres-findings.ts';
import { publicUrlProblem } from './public-url-problem.ts';
import { sqliteFindings } from './sqlite-findings.ts';

/** Reports the version of Node.js. */
export function programFinding(): Finding {
  return fine('node', process.version);
}

/** Examines the engine of this process: version, clock and disk, or clock and durability. */
export async function engineFindings(app: App): Promise<Finding[]> {
  return app.db.engine === 'sqlite' ? sqliteFindings(app) : postgresFindings(app);
}

/** Examines the address that this process gives to payers and shops. */
export function publicUrlFinding(config: App['config']): Finding {
  const misled = publicUrlProblem(config);
  if (misled === null) return fine('public-url', publicOrigin(config));
  return problem('public-url', misled, {
    en: 'Set PUBLIC_URL to the https address of this service.',
    es: 'Pon en PUBLIC_URL la dirección https de este servicio.',
  });
}

/** Reports that this process is behind a proxy while TRUST_PROXY is off. */
function proxyFinding(): Finding {
  return problem(
    'proxy',
    {
      en: 'X-Forwarded-For arrives from a proxy and TRUST_PROXY is off, so all its clients count as one in every limit',
      es: 'llega X-Forwarded-For de un proxy y TRUST_PROXY está apagado: todos sus clientes cuentan como uno en cada límite',
    },
    {
      en: 'Set TRUST_PROXY=true and restart, or remove the header in the proxy.',
      es: 'Pon TRUST_PROXY=true y reinicia, o haz que el proxy quite el encabezado.',
    },
  );
}

/** Reports the policy violations that browsers sent. They raise no alarm, because anybody can send one. */
function policyFinding(app: App): Finding {
  const { count, newest } = policyReports(app);
  const [last] = newest;
  if (last === undefined) {
    return fine('policy', {
      en: 'browsers have blocked nothing on its pages',
      es: 'los navegadores no han detenido nada en sus páginas',
    });
  }
  const { directive, blocked } = last;
  return fine('policy', {
    en: `browsers blocked something ${count} times, last ${directive} from ${blocked}`,
    es: `los navegadores dicen que detuvieron algo ${count} veces, lo último ${directive} de ${blocked}`,
  });
}

/** Finds passkeys for another host than PUBLIC_URL's. Browsers do not offer them. */
export async function passkeyFindings(app: Pick<App, 'config' | 'db'>): Promise<Finding[]> {
  if (app.config.publicUrl === null) return [];
  const { hostname } = new URL(publicOrigin(app.config));
  const count = await countPasskeysOfOthers(app.db, hostname);
  if (count === 0) return [];
  const says = {
    en: `${count} passkeys belong to another host than ${hostname} and do not work here`,
    es: `llaves de acceso de otro host que ${hostname}, que aquí no dejan entrar a nadie: ${count}`,
  };
  return [problem('passkeys', says, PASSKEYS_FIX)];
}

const PASSKEYS_FIX = {
  en: 'Set PUBLIC_URL to the old host, or have these people sign in with their app or a recovery code and add a new passkey.',
  es: 'Pon en PUBLIC_URL el host de antes, o haz que esas personas entren con su app o un código de recuperación y añadan otra llave.',
};

/**
 * Names the keys with which this process opens what is sealed, by the ids that every sealed text carries. `master-key
 * rotate` looks for them here.
 */
function keyFinding(app: App): Finding {
  const { current, previous } = keysOf(app, KEPT_KEYS);
  if (previous === null) return fine('master-key', { en: `${current.id} is in use`, es: `${current.id} está en uso` });
  return fine('master-key', {
    en: `${current.id} is in use; ${previous.id} is the previous one, needed until bin/rubrica master-key rotate has ended`,
    es: `${current.id} está en uso; ${previous.id} es la anterior: hace falta hasta que termine bin/rubrica master-key rotate`,
  });
}

/** Returns the findings of a running process about itself. */
export async function ownFindings(app: App): Promise<Finding[]> {
  const [proxied] = (await app.metrics.untrustedProxy.get()).values;
  return [
    programFinding(),
    ...(await engineFindings(app)),
    keyFinding(app),
    publicUrlFinding(app.config),
    // `doctor` compares it with the port that it finds in use.
    fine('port', String(app.config.port)),
    policyFinding(app),
    ...(!app.config.trustProxy && proxied?.value === 1 ? [proxyFinding()] : []),
  ];
}
