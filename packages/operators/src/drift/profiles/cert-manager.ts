import type { Profile } from './profile.ts';

const SOURCE = 'cert-manager 1.21';
const OPEN = ['pending', 'processing', 'ready'];

/** Keys and requests are new each time, and a certificate is renewed when its time has come. */
export const certManager: readonly Profile[] = [
  {
    group: 'cert-manager.io',
    kind: 'Certificate',
    source: SOURCE,
    ready: ['Ready'],
    due: ['renewalTime'],
    varying: [{ kind: 'CertificateRequest', fields: ['spec.request'] }],
    // Of earlier revisions, as many stay as `revisionHistoryLimit` says.
    transient: ['CertificateRequest'],
  },
  { group: 'cert-manager.io', kind: 'CertificateRequest', source: SOURCE, ready: ['Ready'] },
  {
    group: 'acme.cert-manager.io',
    kind: 'Order',
    source: SOURCE,
    ready: [],
    working: [{ field: 'state', values: OPEN }],
    transient: ['Challenge'],
  },
  {
    group: 'acme.cert-manager.io',
    kind: 'Challenge',
    source: SOURCE,
    ready: [],
    working: [{ field: 'state', values: OPEN }],
    transient: ['Pod', 'Service', 'Ingress', 'HTTPRoute'],
  },
];
