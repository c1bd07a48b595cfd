import type { Clock, JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { objectsAt, specOf, stringAt } from '../../objects/read.ts';
import { type Change, changeObject, inOrder, withField } from '../../objects/change-object.ts';
import { failure } from '../../api-server-error.ts';
import type { Store } from '../../storage/store.ts';
import { objectKey } from '../../storage/stored-object.ts';
import type { WriteAttributes, AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { newForbidden } from '../new-forbidden.ts';
import { waitForAccount } from './wait-for-account.ts';
import { isMirrorPod, forbiddenInMirrorPod } from './is-mirror-pod.ts';
import { unreferencedSecret, unreferencedSecretOfEphemeral } from './unreferenced-secret.ts';
import { isMounted, withToken } from './with-token.ts';
import { nameOf } from '../../objects/name-of.ts';

type Context = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
};

type Find = (namespace: string, name: string) => Stored | undefined;

const DEFAULT = 'default';

/**
 * The plugin `ServiceAccount`: pods run as an account of their namespace that is there, `default` where they name none.
 * They are given its token in a volume, and its pull secrets where they have none.
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-admission-controller
 */
export function serviceAccountAdmission(context: Context): AdmissionPlugin {
  const accounts = context.store.collection('', 'serviceaccounts');
  const find: Find = (namespace, name) => accounts.get(objectKey(namespace, name))?.object;
  return {
    awaits(attributes) {
      if (!isOfPod(attributes) || !needsAccount(attributes)) return undefined;
      const { namespace } = attributes.request;
      const waits = accountName(attributes) === DEFAULT && find(namespace, DEFAULT) === undefined;
      return waits ? waitForAccount(accounts, objectKey(namespace, DEFAULT), context.clock) : undefined;
    },
    mutate(attributes) {
      if (!isOfPod(attributes) || attributes.operation !== 'CREATE') return attributes.object;
      const object = needsAccount(attributes)
        ? asAccount(context.random, attributes.object, accountOf(find, attributes, accountName(attributes)))
        : attributes.object;
      check(find, { ...attributes, object });
      return object;
    },
    validate(attributes) {
      if (isOfPod(attributes)) check(find, attributes);
    },
  };
}

function isOfPod(attributes: AdmissionAttributes): attributes is WriteAttributes {
  const { object, request } = attributes;
  const { group, resource } = request.definition;
  return (
    object !== undefined &&
    group === '' &&
    resource === 'pods' &&
    ['', 'ephemeralcontainers'].includes(request.subresource)
  );
}

/** A new pod, or one that gets an ephemeral container; but a mirror pod must stay as its node has it. */
function needsAccount({ operation, object, request }: WriteAttributes): boolean {
  return operation === 'CREATE' ? !isMirrorPod(object) : request.subresource === 'ephemeralcontainers';
}

function accountName({ operation, object }: WriteAttributes): string {
  const name = stringAt(specOf(object), 'serviceAccountName');
  return name === '' && operation === 'CREATE' ? DEFAULT : name;
}

/** The pod with its account and what that gives it. */
function asAccount(random: Context['random'], pod: KubeObject, account: Stored): KubeObject {
  const { name } = account.metadata;
  const named: Change = (spec) =>
    withField(withField(spec, 'serviceAccountName', name), 'serviceAccount', name);
  const mounted: Change = (spec) => (isMounted(account, spec) ? withToken(spec, random) : spec);
  const change = inOrder(named, mounted, withPullSecrets(account));
  return changeObject(pod, (body) => withField(body, 'spec', change(specOf(pod))));
}

function withPullSecrets(account: KubeObject): Change {
  const secrets = objectsAt(account, 'imagePullSecrets').map((secret): JsonObject => {
    const name = stringAt(secret, 'name');
    return name === '' ? {} : { name };
  });
  return (spec) =>
    secrets.length === 0 || objectsAt(spec, 'imagePullSecrets').length > 0
      ? spec
      : withField(spec, 'imagePullSecrets', secrets);
}

/** Throws where a new pod, or its ephemeral containers, are rejected. */
function check(find: Find, attributes: WriteAttributes): void {
  const { operation, request, object } = attributes;
  if (operation === 'CREATE' && isMirrorPod(object)) {
    const why = forbiddenInMirrorPod(object);
    if (why !== undefined) throw newForbidden(attributes, why);
  }
  if (!needsAccount(attributes)) return;
  const name = stringAt(specOf(object), 'serviceAccountName');
  if (name === '') {
    const pod = `${request.namespace}/${nameOf(object)}`;
    throw newForbidden(attributes, `no service account specified for pod ${pod}`);
  }
  checkSecrets(attributes, accountOf(find, attributes, name));
}

function checkSecrets(attributes: WriteAttributes, account: KubeObject): void {
  const { operation, object } = attributes;
  const isNew = operation === 'CREATE';
  const why = isNew ? unreferencedSecret(account, object) : unreferencedSecretOfEphemeral(account, object);
  if (why === undefined) return;
  // For ephemeral containers the real server returns a plain 500, without a reason.
  throw isNew ? newForbidden(attributes, why) : failure(500, '', why);
}

function accountOf(find: Find, attributes: WriteAttributes, name: string): Stored {
  const { namespace } = attributes.request;
  const account = find(namespace, name);
  if (account !== undefined) return account;
  const why = `serviceaccount "${name}" not found`;
  throw newForbidden(attributes, `error looking up service account ${namespace}/${name}: ${why}`);
}
