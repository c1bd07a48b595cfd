import { getOwn, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';

type Scheduling = {
  readonly podAnnotations: JsonObject;
  readonly nodeSelector: JsonObject;
  readonly tolerations: readonly Json[];
  readonly affinity: JsonObject;
  readonly resources: JsonObject;
  readonly replicaCount: number;
};

/** The values of the original's Helm chart. Its images are not read: they have another program. */
export type ChartValues = Scheduling & {
  readonly imagePullSecrets: readonly Json[];
  readonly image: { readonly pullPolicy: string };
  readonly nameOverride: string;
  readonly fullnameOverride: string;
  readonly serviceAccount: {
    readonly create: boolean;
    readonly annotations: JsonObject;
    readonly name: string;
  };
  readonly podSecurityContext: JsonObject;
  readonly securityContext: JsonObject;
  readonly service: { readonly type: string; readonly port: number };
  readonly webhook: {
    readonly port: number;
    readonly healthProbeBindAddress: string;
    /** Addition: the segment of the webhook's path. Default: a new one with each certificate that is issued here. */
    readonly pathSegment: string;
  };
  readonly certificates: {
    readonly certManager: {
      readonly enabled: boolean;
      readonly issuerRef: { readonly name: string; readonly kind: string };
    };
    readonly selfSigned: { readonly enabled: boolean };
  };
  readonly excludeNamespaces: readonly string[];
  readonly driftCallbacks: readonly JsonObject[];
  readonly controller: Scheduling & {
    readonly enabled: boolean;
    readonly metricsBindAddress: string;
    readonly healthProbeBindAddress: string;
    readonly leaderElect: boolean;
  };
  readonly backend: { readonly enabled: boolean };
  readonly backendTui: { readonly enabled: boolean };
};

const ANYWHERE = { podAnnotations: {}, nodeSelector: {}, tolerations: [], affinity: {} };

/** Those of the chart. Limits of memory are left out: they are those of another program. */
const DEFAULTS: ChartValues = {
  ...ANYWHERE,
  replicaCount: 1,
  resources: { requests: { cpu: '10m', memory: '128Mi' } },
  imagePullSecrets: [],
  image: { pullPolicy: 'IfNotPresent' },
  nameOverride: '',
  fullnameOverride: '',
  serviceAccount: { create: true, annotations: {}, name: '' },
  podSecurityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
  },
  service: { type: 'ClusterIP', port: 443 },
  webhook: { port: 9443, healthProbeBindAddress: ':8081', pathSegment: '' },
  certificates: {
    certManager: { enabled: false, issuerRef: { name: '', kind: 'Issuer' } },
    selfSigned: { enabled: true },
  },
  excludeNamespaces: ['kube-system', 'kube-public', 'kube-node-lease'],
  driftCallbacks: [],
  controller: {
    ...ANYWHERE,
    enabled: true,
    replicaCount: 1,
    resources: { requests: { cpu: '10m', memory: '128Mi' } },
    metricsBindAddress: ':8080',
    healthProbeBindAddress: ':8081',
    leaderElect: false,
  },
  backend: { enabled: false },
  backendTui: { enabled: false },
};

/** Values over the chart's defaults, as Helm merges them: maps key by key, lists whole; null takes the default. */
export function chartValues(given: Json): ChartValues {
  if (given !== null && !isJsonObject(given)) throw invalid('they', 'are not an object');
  return merge(DEFAULTS, given ?? {}, '');
}

/** What replaces a value has its kind, so the result has the type of the defaults. */
function merge<T extends JsonObject>(defaults: T, given: JsonObject, path: string): T {
  const merged: Record<string, Json> = { ...defaults };
  for (const [key, value] of Object.entries(given)) {
    if (value === null) continue;
    const before = getOwn(defaults, key);
    const at = path === '' ? key : `${path}.${key}`;
    if (before !== undefined && kindOf(before) !== kindOf(value))
      throw invalid(at, `is not ${ARTICLES[kindOf(before)]}`);
    merged[key] = isJsonObject(before) && isJsonObject(value) ? merge(before, value, at) : value;
  }
  return merged as T;
}

const ARTICLES = {
  list: 'a list',
  object: 'a map',
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
} as const;

function kindOf(value: Json): keyof typeof ARTICLES {
  if (Array.isArray(value)) return 'list';
  const kind = typeof value;
  return kind === 'string' || kind === 'boolean' || kind === 'number' ? kind : 'object';
}

function invalid(path: string, what: string): OperatorError {
  return new OperatorError('Usage', `in the values, ${path} ${what}`);
}
