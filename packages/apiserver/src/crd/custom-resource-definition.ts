import { type Json, type JsonObject, type KubeObject, formatTime } from '@kubewright/kube';
import { unrecognizedFormats } from '@kubewright/kube/schema';
import { quoteGo } from '@kubewright/kube/validation';
import type { Strategy } from '../model/resource-definition.ts';
import { validateObjectMetaUpdate } from '../validation/validate-object-meta.ts';
import { metadataOf, objectAt, statusOf, stringAt, stringsAt } from '../objects/read.ts';
import {
  changed,
  generationOf,
  keepOld,
  SPEC_RESET,
  STATUS_RESET,
  withGeneration,
} from '../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inField,
  orDefault,
  orDefaultPointer,
  withField,
} from '../objects/change-object.ts';
import { CLEANUP_FINALIZER, schemaOf, storageVersionOf, versionsOf } from './definition-view.ts';
import { withCondition, withStatusField } from './with-condition.ts';
import { validateDefinition, validateDefinitionUpdate, validateNames } from './validate-definition.ts';

/** `apiextensions.k8s.io/v1 CustomResourceDefinition`. */
export const customResourceDefinition: Strategy = {
  default: (object) => withStoredVersion(changeObject(object, defaults), false),
  prepareForCreate: (object) => {
    const status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    return withStoredVersion(
      withGeneration(
        changeObject(object, (body) => withField(body, 'status', status)),
        1,
      ),
      true,
    );
  },
  prepareForUpdate: (object, old) => {
    const kept = withStoredVersion(keepOld(object, old, 'status'), true);
    return changed(kept, old, 'spec') ? withGeneration(kept, generationOf(old) + 1) : kept;
  },
  validateCreate: (object) => validateDefinition(object),
  validateUpdate: (object, old) => validateDefinitionUpdate(object, old),
  warnings: formatWarnings,
  resetFields: STATUS_RESET,
};

export const customResourceDefinitionStatus: Strategy = {
  prepareForUpdate: (object, old) => keepOld(object, old, 'spec'),
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old, { anyFinalizer: true }),
    ...validateNames(objectAt(statusOf(object), 'acceptedNames'), 'status.acceptedNames'),
  ],
  resetFields: SPEC_RESET,
};

/** A definition is emptied first: it waits, by a finalizer, for the last of its instances. */
export function firstDelete(object: KubeObject, now: Date): KubeObject {
  const finalizers = stringsAt(metadataOf(object), 'finalizers');
  const kept = finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER];
  const metadata = { ...metadataOf(object), deletionTimestamp: formatTime(now), finalizers: [...kept] };
  const marked = changeObject(object, (body) => withField(body, 'metadata', metadata));
  return withCondition(
    marked,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  );
}

/** Formats that are not checked, those apart that were there before. */
function formatWarnings(object: KubeObject, old?: KubeObject): readonly string[] {
  const formatsOf = (crd: KubeObject): readonly string[] =>
    versionsOf(crd).flatMap((version) => unrecognizedFormats(schemaOf(version) ?? {}));
  const before = new Set(old === undefined ? [] : formatsOf(old));
  const added = new Set(formatsOf(object).filter((format) => !before.has(format)));
  return [...added].map((format) => `unrecognized format ${quoteGo(format)}`);
}

const defaults: Change = (body) => withField(body, 'spec', specDefaults(objectAt(body, 'spec')));

function specDefaults(spec: JsonObject): JsonObject {
  const names = objectAt(spec, 'names');
  const kind = stringAt(names, 'kind');
  const single = kind === '' ? names : orDefault(names, 'singular', kind.toLowerCase());
  const named = withField(spec, 'names', kind === '' ? single : orDefault(single, 'listKind', `${kind}List`));
  const converted = orDefaultPointer(named, 'conversion', { strategy: 'None' });
  const port = inField('service', (service) => orDefaultPointer(service, 'port', 443));
  return inField('conversion', inField('webhook', inField('clientConfig', port)))(converted);
}

/** `status.storedVersions` names each version that was ever written; always the one that is written now. */
function withStoredVersion(object: KubeObject, add: boolean): KubeObject {
  const version = storageVersionOf(object);
  const stored = stringsAt(statusOf(object), 'storedVersions');
  if (version === '' || stored.includes(version) || (!add && stored.length > 0)) return object;
  const next: Json = [...stored, version];
  return withStatusField(object, 'storedVersions', next);
}
