import {
  defined,
  getOwn,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  stringifyJson,
} from '@kubewright/kube';
import { textAt } from '../annotations/read-annotation.ts';
import { OperatorError } from '../../operator-error.ts';
import type { ChartNames } from './chart-names.ts';
import type { ChartValues } from './chart-values.ts';

/** The port of the backend that prints reports. */
export const BACKEND_PORT = 8080;
const CONFIG_FOLDER = '/etc/webhook/config';
const CA_FOLDER = '/etc/callback-ca';

/** Where reports go: the config file of the webhook, and what it needs of its pod. */
export type Callbacks = {
  readonly args: readonly string[];
  readonly objects: readonly KubeObject[];
  readonly volumes: readonly JsonObject[];
  readonly mounts: readonly JsonObject[];
};

/** From `driftCallbacks` and `backend` of the values. */
export function callbacksOf({ driftCallbacks, backend }: ChartValues, names: ChartNames): Callbacks {
  const { namespace, config } = names;
  const callbacks = driftCallbacks.map((one, index) => callbackOf(one, index, names));
  const own = `http://${names.backend}.${namespace}.svc.cluster.local:${BACKEND_PORT}/webhook`;
  const backends = [...(backend.enabled ? [{ url: own }] : []), ...callbacks.map(({ entry }) => entry)];
  if (backends.length === 0) return { args: [], objects: [], volumes: [], mounts: [] };
  const file: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: config, namespace },
    // JSON is YAML.
    data: { 'config.yaml': stringifyJson({ backends }) },
  };
  return {
    args: [`--config=${CONFIG_FOLDER}/config.yaml`],
    objects: [file, ...callbacks.flatMap(({ secrets }) => secrets)],
    volumes: [
      { name: 'config', configMap: { name: config } },
      ...callbacks.flatMap(({ volumes }) => volumes),
    ],
    mounts: [
      { name: 'config', mountPath: CONFIG_FOLDER, readOnly: true },
      ...callbacks.flatMap(({ mounts }) => mounts),
    ],
  };
}

type Callback = {
  readonly entry: JsonObject;
  readonly secrets: readonly KubeObject[];
  readonly volumes: readonly JsonObject[];
  readonly mounts: readonly JsonObject[];
};

/** The authority of a backend is in the values, or in a Secret that somebody else has made. */
function callbackOf(callback: JsonObject, index: number, { configuration, namespace }: ChartNames): Callback {
  const url = textAt(callback, 'url');
  if (url === undefined)
    throw new OperatorError('Usage', `in the values, driftCallbacks[${index}].url is missing`);
  const { ca: _ca, ...entry } = callback;
  const ca = getOwn(callback, 'ca');
  const [cert, existing, key] = ['cert', 'existingSecret', 'key'].map((name) =>
    isJsonObject(ca) ? textAt(ca, name) || undefined : undefined,
  );
  if (cert === undefined && existing === undefined) return { entry, secrets: [], volumes: [], mounts: [] };
  const [volume, folder] = [`callback-ca-${index}`, `${CA_FOLDER}/${index}`];
  const name = existing ?? `${configuration}-callback-ca-${index}`;
  const items = [{ key: existing === undefined ? 'ca.crt' : (key ?? 'ca.crt'), path: 'ca.crt' }];
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    ...defined({ stringData: cert === undefined ? undefined : { 'ca.crt': cert } }),
  };
  return {
    entry: { ...entry, caFile: `${folder}/ca.crt` },
    secrets: existing === undefined ? [secret] : [],
    volumes: [{ name: volume, secret: { secretName: name, items } }],
    mounts: [{ name: volume, mountPath: folder, readOnly: true }],
  };
}
