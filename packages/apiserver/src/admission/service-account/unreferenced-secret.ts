import { type JsonObject, type KubeObject, getOwn } from '@kubewright/kube';
import { has, metadataOf, objectAt, objectsAt, specOf, stringAt } from '../../objects/read.ts';

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';
/** What Go's `strconv.ParseBool` takes for true. */
const TRUE: readonly unknown[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

/** Why a pod may not use a secret that its account does not reference, where the account enforces that. */
export function unreferencedSecret(account: KubeObject, pod: KubeObject): string | undefined {
  if (!isEnforced(account)) return undefined;
  const spec = specOf(pod);
  return (
    ofVolumes(account, objectsAt(spec, 'volumes')) ??
    ofContainers(account, objectsAt(spec, 'initContainers'), 'init container') ??
    ofContainers(account, objectsAt(spec, 'containers'), 'container') ??
    ofPullSecrets(account, objectsAt(spec, 'imagePullSecrets'))
  );
}

/** The same for ephemeral containers. */
export function unreferencedSecretOfEphemeral(account: KubeObject, pod: KubeObject): string | undefined {
  if (!isEnforced(account)) return undefined;
  return ofContainers(account, objectsAt(specOf(pod), 'ephemeralContainers'), 'ephemeral container');
}

function isEnforced(account: KubeObject): boolean {
  return TRUE.includes(getOwn(objectAt(metadataOf(account), 'annotations'), ENFORCE));
}

function namedBy(account: KubeObject, list: 'secrets' | 'imagePullSecrets'): ReadonlySet<string> {
  return new Set(objectsAt(account, list).map((reference) => stringAt(reference, 'name')));
}

function notReferenced({ metadata }: KubeObject, what = 'secret'): string {
  return `is not allowed because service account ${metadata.name} does not reference that ${what}`;
}

function ofVolumes(account: KubeObject, volumes: readonly JsonObject[]): string | undefined {
  const referenced = namedBy(account, 'secrets');
  const names = volumes
    .filter((volume) => has(volume, 'secret'))
    .map((volume) => stringAt(objectAt(volume, 'secret'), 'secretName'));
  const unreferenced = names.find((name) => !referenced.has(name));
  return unreferenced === undefined
    ? undefined
    : `volume with secret.secretName="${unreferenced}" ${notReferenced(account)}`;
}

/** The first secret that is not referenced, of the first container that has such. */
function ofContainers(
  account: KubeObject,
  containers: readonly JsonObject[],
  kind: string,
): string | undefined {
  const referenced = namedBy(account, 'secrets');
  const found = containers
    .flatMap((container) => references(container, `${kind} ${stringAt(container, 'name')}`))
    .find(({ secret }) => !referenced.has(secret));
  if (found === undefined) return undefined;
  return `${found.where} referencing secret.secretName="${found.secret}" ${notReferenced(account)}`;
}

type Reference = { readonly where: string; readonly secret: string };

function references(container: JsonObject, who: string): readonly Reference[] {
  const variables = objectsAt(container, 'env').filter((one) =>
    has(objectAt(one, 'valueFrom'), 'secretKeyRef'),
  );
  const sources = objectsAt(container, 'envFrom').filter((one) => has(one, 'secretRef'));
  return [
    ...variables.map((one) => ({
      where: `${who} with envVar ${stringAt(one, 'name')}`,
      secret: stringAt(objectAt(one, 'valueFrom', 'secretKeyRef'), 'name'),
    })),
    ...sources.map((one) => ({
      where: `${who} with envFrom`,
      secret: stringAt(objectAt(one, 'secretRef'), 'name'),
    })),
  ];
}

function ofPullSecrets(account: KubeObject, secrets: readonly JsonObject[]): string | undefined {
  const referenced = namedBy(account, 'imagePullSecrets');
  const names = secrets.map((secret) => stringAt(secret, 'name'));
  const index = names.findIndex((name) => !referenced.has(name));
  if (index === -1) return undefined;
  return `imagePullSecrets[${index}].name="${names[index]}" ${notReferenced(account, 'imagePullSecret')}`;
}
