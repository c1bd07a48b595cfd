import { corev1, type Stored } from '@kubewright/kube';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, isCondition, kindOf } from '../at-place.ts';
import type { Place, Scenario, Step } from '../scenario.ts';

const CERTIFICATES = kindOf('cert-manager.io/v1', 'Certificate', 'certificates');
const ISSUERS = kindOf('cert-manager.io/v1', 'Issuer', 'issuers');
const NAME = 'web';

/** Issued so many times at least, and nothing is under way. */
const isIssued =
  (revision: number, name = NAME) =>
  async (place: Place) => {
    const live = await at(place).get(CERTIFICATES, name);
    return Number(valueAt(live, 'status.revision') ?? 0) >= revision && isIdle(live);
  };
const isIdle = (live: Stored): boolean =>
  isCondition(live, 'Ready') &&
  !isCondition(live, 'Issuing') &&
  valueAt(live, 'status.nextPrivateKeySecretName') === undefined &&
  readyGeneration(live) === live.metadata.generation;

function readyGeneration(live: Stored): unknown {
  const conditions = valueAt(live, 'status.conditions');
  const ready = Array.isArray(conditions) ? conditions.find((one) => one?.type === 'Ready') : undefined;
  return ready?.observedGeneration;
}

const revisions = new Map<string, number>();
/** Whatever is done, it is issued once more. */
const issuedAgain = (title: string, act: Step['act']): Step => ({
  title,
  act: async (place) => {
    const live = await at(place).get(CERTIFICATES, NAME);
    revisions.set(place.namespace, Number(valueAt(live, 'status.revision')));
    await act(place);
  },
  until: (place) => isIssued((revisions.get(place.namespace) ?? 0) + 1)(place),
});
const deleteSecret = (place: Place) => at(place).remove(corev1.secrets, `${NAME}-tls`);
const isThere = async (place: Place, name: string): Promise<boolean> =>
  (await at(place).list(corev1.secrets)).some(({ metadata }) => metadata.name === name);

const healed: Step = {
  title: 'its Secret is deleted',
  act: deleteSecret,
  until: async (place) => (await isThere(place, `${NAME}-tls`)) && (await isIssued(1)(place)),
};
let names = 0;
const changed = issuedAgain('its names change', (place) =>
  at(place).merge(CERTIFICATES, NAME, {
    spec: { dnsNames: [`${place.arm}-${(names += 1)}.example.com`] },
  }),
);

/** Certificates of an authority in the cluster. */
export const certManager: Scenario = {
  name: 'cert-manager',
  leftOut: 'its webhook, its CA injector, ACME, Vault and Venafi',
  launch: ({ kubeconfig }) => ({ args: [`--kubeconfig=${kubeconfig}`] }),
  resources: [
    { apiGroups: ['cert-manager.io'], resources: ['certificates', 'certificaterequests', 'issuers'] },
    { apiGroups: [''], resources: ['secrets'] },
  ],
  steps: [
    {
      title: 'an authority is created',
      act: async (place) => {
        await at(place).create(ISSUERS, 'self', { spec: { selfSigned: {} } });
        await at(place).create(CERTIFICATES, 'authority', {
          spec: {
            isCA: true,
            commonName: 'test',
            secretName: 'authority',
            issuerRef: { name: 'self', kind: 'Issuer' },
          },
        });
        await at(place).create(ISSUERS, 'authority', { spec: { ca: { secretName: 'authority' } } });
      },
      until: async (place) =>
        (await isIssued(1, 'authority')(place)) &&
        isCondition(await at(place).get(ISSUERS, 'authority'), 'Ready'),
    },
    {
      title: 'a certificate is created',
      act: (place) =>
        at(place).create(CERTIFICATES, NAME, {
          spec: {
            dnsNames: ['a.example.com'],
            secretName: `${NAME}-tls`,
            issuerRef: { name: 'authority', kind: 'Issuer' },
          },
        }),
      until: isIssued(1),
    },
    changed,
    healed,
    issuedAgain('somebody asks for a renewal, as cmctl renew does', async (place) => {
      const live = await at(place).get(CERTIFICATES, NAME);
      const others = valueAt(live, 'status.conditions') as [];
      const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '');
      const issuing = { type: 'Issuing', status: 'True', reason: 'ManuallyTriggered', message: 'now' };
      const conditions = [...others, { ...issuing, lastTransitionTime }];
      await at(place).mergeStatus(CERTIFICATES, NAME, { conditions });
    }),
    {
      title: 'another is to be renewed soon',
      act: (place) =>
        at(place).create(CERTIFICATES, 'short', {
          spec: {
            dnsNames: ['short.example.com'],
            secretName: 'short',
            duration: '1h',
            renewBefore: '59m50s',
            issuerRef: { name: 'authority', kind: 'Issuer' },
          },
        }),
      until: isIssued(2, 'short'),
    },
    {
      title: 'and later from now on',
      act: (place) => at(place).merge(CERTIFICATES, 'short', { spec: { renewBefore: '10m' } }),
      until: isIssued(2, 'short'),
    },
  ],
  later: [healed, changed],
  provoke: { title: healed.title, act: deleteSecret },
};
