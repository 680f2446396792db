import type { App } from '../../app.ts';
import { findChangedKeys } from '../../sealing/kept-key.ts';
import type { Findings } from '../proof-finding.ts';

/** Reports the stored keys that were changed. What was made with such a key cannot be compared, for example anchors. */
export async function verifyKeptKeys(app: App, findings: Findings): Promise<void> {
  for (const name of await findChangedKeys(app)) {
    const subject = `key ${name}`;
    const says = `the key ${name} in kept_keys was changed: nothing that was made with it can be compared`;
    findings.add({ finding: 'key_changed', environment_id: null, subject, since: null, says });
  }
}
