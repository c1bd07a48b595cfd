import { X509Certificate } from 'node:crypto';
import { formatTime } from '@kubewright/kube';
import type { Finding } from './report-findings.ts';

type Result = Omit<Finding, 'check'>;

/** Whether an API server may trust a webhook: by the `caBundle` of its configuration, in base64 as it is there. */
export function checkCaBundle(bundle: string, configuration: string, now: Date): Result {
  const fix = "is the operator running? it writes the caBundle; else the certificate's issuer has to";
  if (bundle === '') return { status: 'failed', what: `${configuration} has no caBundle`, fix };
  const certificates = certificatesOf(Buffer.from(bundle, 'base64').toString());
  if (certificates === undefined)
    return { status: 'failed', what: `the caBundle of ${configuration} is not PEM`, fix };
  const last = certificates
    .map(({ validTo }) => new Date(validTo))
    .toSorted((a, b) => b.getTime() - a.getTime())[0];
  const valid = certificates.some((one) => new Date(one.validFrom) <= now && now < new Date(one.validTo));
  const until = last === undefined ? '' : formatTime(last);
  return valid
    ? { status: 'ok', what: `the authority of ${configuration} is valid until ${until}` }
    : {
        status: 'failed',
        what: `no authority of ${configuration} is valid now; the last one until ${until}`,
        fix,
      };
}

/** The certificates in a PEM text; undefined where it has none, or one that cannot be read. */
export function certificatesOf(pem: string): readonly X509Certificate[] | undefined {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) return undefined;
  try {
    return found.map((one) => new X509Certificate(one));
  } catch {
    return undefined;
  }
}
