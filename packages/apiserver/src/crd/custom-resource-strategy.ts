import { compareText, jsonEqual, type KubeObject } from '@kubewright/kube';
import { isQualifiedName, quoteGo } from '@kubewright/kube/validation';
import type { Strategy } from '../model/resource-definition.ts';
import { bodyOf, metadataOf, stringsAt } from '../objects/read.ts';
import { generationOf, keepOld, STATUS_RESET, withGeneration } from '../model/status-strategy.ts';
import { changeObject, withField } from '../objects/change-object.ts';
import type { CustomKind } from './custom-kind.ts';
import {
  validateCustomResource,
  validateCustomResourceStatusUpdate,
  validateCustomResourceUpdate,
} from './validate-custom-resource.ts';

/** How a custom resource is written. Its generation counts every change but those of metadata. */
export function customResourceStrategy(kind: CustomKind): Strategy {
  return {
    prepareForCreate: (object) =>
      withGeneration(
        kind.hasStatus ? changeObject(object, (body) => withField(body, 'status', undefined)) : object,
        1,
      ),
    prepareForUpdate: (object, old) => {
      const next = kind.hasStatus ? keepOld(object, old, 'status') : object;
      return sameContent(next, old) ? next : withGeneration(next, generationOf(old) + 1);
    },
    validateCreate: (object) => validateCustomResource(kind, object),
    validateUpdate: (object, old) => validateCustomResourceUpdate(kind, object, old),
    warnings: finalizerWarnings,
    resetFields: kind.hasStatus ? STATUS_RESET : [],
  };
}

/** A write of the status: everything else stays, but for managedFields. */
export function customResourceStatus(kind: CustomKind): Strategy {
  return {
    prepareForUpdate: (object, old) => {
      const metadata = withField(metadataOf(old), 'managedFields', metadataOf(object).managedFields);
      const kept = changeObject(keepOld(old, object, 'status'), (body) =>
        withField(body, 'metadata', metadata),
      );
      return kept;
    },
    validateUpdate: (object, old) => validateCustomResourceStatusUpdate(kind, object, old),
    resetFields: [['f:metadata'], ['f:spec']],
  };
}

function sameContent(a: KubeObject, b: KubeObject): boolean {
  return jsonEqual(withField(bodyOf(a), 'metadata', undefined), withField(bodyOf(b), 'metadata', undefined));
}

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Names of new finalizers of custom resources are not validated, only warned about. */
function finalizerWarnings(object: KubeObject, old?: KubeObject): readonly string[] {
  const before = old === undefined ? [] : stringsAt(metadataOf(old), 'finalizers');
  const added = new Set(stringsAt(metadataOf(object), 'finalizers').filter((name) => !before.includes(name)));
  const avoid = 'to avoid accidental conflicts with other finalizer writers';
  return [...added].sort(compareText).flatMap((name) => {
    const at = `metadata.finalizers: ${quoteGo(name)}:`;
    const form = name.includes('.')
      ? 'a domain-qualified finalizer name including a path (/)'
      : 'a domain-qualified finalizer name';
    const plain = !name.includes('/') && !STANDARD_FINALIZERS.includes(name);
    return [
      ...isQualifiedName(name).map((message) => `${at} ${message}`),
      ...(plain ? [`${at} prefer ${form} ${avoid}`] : []),
    ];
  });
}
