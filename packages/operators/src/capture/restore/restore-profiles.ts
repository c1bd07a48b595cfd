import { KubeError, parseApiVersion } from '@kubewright/kube';
import type { RestoreProfile } from './restore-profile.ts';

/** Flux and Argo CD write to the namespaces that their sources name: a copy would write the same objects as the original. */
const SUSPENDED =
  'suspended: it may write to other namespaces, too. Look where, then resume it (spec.suspend: false)';

const SAME_HOSTS = 'it has the hosts of the original: where both are served, only one gets their requests';

/** Kinds of common projects that are not named here are restored after the data, which is right for nearly all of them. */
const PROFILES: readonly RestoreProfile[] = [
  ...['GitRepository', 'OCIRepository', 'HelmRepository', 'HelmChart', 'Bucket'].map(
    (kind): RestoreProfile => ({ group: 'source.toolkit.fluxcd.io', kind, order: 'data' }),
  ),
  {
    group: 'kustomize.toolkit.fluxcd.io',
    kind: 'Kustomization',
    order: 'last',
    inCopy: { spec: { suspend: true } },
    note: SUSPENDED,
  },
  {
    group: 'helm.toolkit.fluxcd.io',
    kind: 'HelmRelease',
    order: 'last',
    inCopy: { spec: { suspend: true } },
    note: SUSPENDED,
  },
  { group: 'argoproj.io', kind: 'AppProject', order: 'data' },
  {
    group: 'argoproj.io',
    kind: 'Application',
    order: 'last',
    inCopy: { spec: { syncPolicy: { automated: null } } },
    note: 'without automated synchronization: it may write to other namespaces, too. Look where, then add spec.syncPolicy.automated',
  },
  {
    group: 'argoproj.io',
    kind: 'ApplicationSet',
    order: 'last',
    inCopy: { spec: { template: { spec: { syncPolicy: { automated: null } } } } },
    note: 'its Applications are not synchronized automatically: they may write to other namespaces, too',
  },
  {
    group: 'image.toolkit.fluxcd.io',
    kind: 'ImageUpdateAutomation',
    order: 'last',
    inCopy: { spec: { suspend: true } },
    note: 'suspended: it would write to the same repository as the original',
  },
  { group: 'keda.sh', kind: 'TriggerAuthentication', order: 'data' },
  { group: 'keda.sh', kind: 'ScaledObject', order: 'last' },
  { group: 'keda.sh', kind: 'ScaledJob', order: 'last' },
  { group: 'external-secrets.io', kind: 'SecretStore', order: 'data' },
  { group: 'cert-manager.io', kind: 'Issuer', order: 'data' },
  { group: 'networking.k8s.io', kind: 'Ingress', note: SAME_HOSTS },
  ...['HTTPRoute', 'GRPCRoute', 'TLSRoute'].map(
    (kind): RestoreProfile => ({ group: 'gateway.networking.k8s.io', kind, note: SAME_HOSTS }),
  ),
  { group: 'batch', kind: 'CronJob', note: 'it runs at the times at which the original runs, too' },
];

export type RestoreProfiles = ReadonlyMap<string, RestoreProfile>;

/** The built-in profiles, and those of a user, which replace them. */
export function restoreProfiles(own: readonly RestoreProfile[] = []): RestoreProfiles {
  return new Map([...PROFILES, ...own].map((profile) => [`${profile.kind}.${profile.group}`, profile]));
}

export const BUILT_IN_PROFILES: RestoreProfiles = restoreProfiles();

/** The profile of an object's kind, of whatever version. */
export function profileOf(
  profiles: RestoreProfiles,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): RestoreProfile | undefined {
  return profiles.get(`${kind}.${groupOf(apiVersion)}`);
}

/** Captured objects may be anything: of a group that cannot exist there is no profile. */
function groupOf(apiVersion: string): string {
  try {
    return parseApiVersion(apiVersion).group;
  } catch (error) {
    if (error instanceof KubeError) return '';
    throw error;
  }
}
