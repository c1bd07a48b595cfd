import type { Profile } from './profile.ts';

/** Keys and requests are new each time, and a certificate is renewed when its time has come. */
export const certManager: readonly Profile[] = [
  {
    group: 'cert-manager.io',
    kind: 'Certificate',
    source: 'cert-manager 1.21',
    ready: ['Ready'],
    due: ['renewalTime'],
    varying: [{ kind: 'CertificateRequest', fields: ['spec.request'] }],
  },
];
