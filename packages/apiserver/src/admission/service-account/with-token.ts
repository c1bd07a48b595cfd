import { deepFreeze, type JsonObject, type KubeObject } from '@kubewright/kube';
import { bodyOf, maybeBoolean, objectsAt, stringAt } from '../../objects/read.ts';
import { inItems, withField } from '../../objects/change-object.ts';
import { generateName } from '../../objects/generate-name.ts';

const PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Shared by all pods. Tokens of exactly this lifetime are valid for a year, for clients that do not renew theirs. */
const SOURCE: JsonObject = deepFreeze({
  defaultMode: 0o644,
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
});

/** Whether a pod with this spec gets the token: its own `automountServiceAccountToken` decides, then the account's. */
export function isMounted(account: KubeObject, spec: JsonObject): boolean {
  const key = 'automountServiceAccountToken';
  return maybeBoolean(spec, key) ?? maybeBoolean(bodyOf(account), key) ?? true;
}

/** The spec with the token, the authority and the namespace where programs look for them, unless something is there. */
export function withToken(spec: JsonObject, random: (size: number) => Uint8Array): JsonObject {
  const volumes = objectsAt(spec, 'volumes');
  const known = volumes.map((volume) => stringAt(volume, 'name')).find((name) => name.startsWith(PREFIX));
  const name = known ?? generateName(PREFIX, random);
  const mount = deepFreeze({ name, readOnly: true, mountPath: MOUNT_PATH });
  const mounted = ['initContainers', 'containers'].reduce(
    (now, list) => inItems(list, (container) => withMount(container, mount))(now),
    spec,
  );
  if (known !== undefined || mounted === spec) return mounted;
  return withField(mounted, 'volumes', [...volumes, { name, projected: SOURCE }]);
}

function withMount(container: JsonObject, mount: JsonObject): JsonObject {
  const mounts = objectsAt(container, 'volumeMounts');
  if (mounts.some((one) => stringAt(one, 'mountPath') === MOUNT_PATH)) return container;
  return withField(container, 'volumeMounts', [...mounts, mount]);
}
