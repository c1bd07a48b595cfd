import { issueCertificate, type KeyPair } from '../support/certificates.ts';
import type { ClientOrder } from './test-server.ts';

/** Issues clients' certificates in the name of an authority. */
export function issueBy(authority: KeyPair): (order: ClientOrder) => Promise<KeyPair> {
  return ({ username, groups = [], validity }) => {
    const subject = [...groups.map((group) => ({ O: [group] })), { CN: [username] }];
    return issueCertificate(authority, { subject, usage: 'client', ...validity });
  };
}
