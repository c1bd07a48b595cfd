import { localError } from '../api-server-error.ts';
import {
  type Authority,
  aYearFrom,
  issueCertificate,
  type KeyPair,
  makeAuthority,
  type Validity,
} from './authority.ts';

/** Whom a client's certificate is to name. */
export type ClientCertificateOrder = {
  readonly username: string;
  readonly groups?: readonly string[];
  /** Default: from a day ago to a year ahead. */
  readonly validity?: Validity;
};

/** The authority of client certificates. */
export type ClientAuthority = {
  /** Its certificate, as PEM. */
  readonly cert: () => Promise<string>;
  /** Rejects where this server does not have the authority's key. */
  issue(order: ClientCertificateOrder): Promise<KeyPair>;
};

/** The authority `given` (a PEM certificate, with its key if it is to issue), else one that is made at first use. */
export function clientAuthority(
  given: { readonly cert: string; readonly key?: string } | undefined,
  sources: { readonly now: () => Date; readonly random: (size: number) => Uint8Array },
): ClientAuthority {
  let made: Promise<Authority> | undefined;
  const own = async (): Promise<{ readonly cert: string; readonly key?: string }> => {
    if (given !== undefined) return given;
    made ??= makeAuthority('kubewright-client-ca', aYearFrom(sources.now()));
    return await made;
  };
  return {
    cert: async () => (await own()).cert,
    async issue({ username, groups = [], validity = aYearFrom(sources.now()) }) {
      const { cert, key } = await own();
      if (key === undefined) throw localError('InvalidState', 'the client CA has no key on this server');
      const serialNumber = `01${Buffer.from(sources.random(15)).toString('hex')}`;
      const organizations = groups.map((group) => ({ O: [group] }));
      const subject = [...organizations, { CN: [username] }];
      return await issueCertificate({ cert, key }, { subject, usage: 'client', serialNumber, validity });
    },
  };
}
