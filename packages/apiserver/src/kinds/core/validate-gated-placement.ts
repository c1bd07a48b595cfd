import { getOwn, type JsonObject, jsonEqual } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, invalid, NONE } from '../../validation/errors.ts';
import { itemsAt, objectAt, objectsAt, valueAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'] as const;

/** Where a pod that waits at its scheduling gates may go can be narrowed, and not otherwise changed. */
export function validateGatedPlacement(spec: JsonObject, old: JsonObject): Errors {
  if (objectsAt(old, 'schedulingGates').length === 0) return NONE;
  return [
    ...validateSelector(spec, old),
    ...validateTerms(objectAt(spec, ...REQUIRED), objectAt(old, ...REQUIRED)),
  ];
}

function validateSelector(spec: JsonObject, old: JsonObject): Errors {
  const now = objectAt(spec, 'nodeSelector');
  const kept = Object.entries(objectAt(old, 'nodeSelector')).every(
    ([key, value]) => getOwn(now, key) === value,
  );
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return invalid(!kept, 'spec.nodeSelector', valueAt(spec, 'nodeSelector'), detail);
}

function validateTerms(now: JsonObject, before: JsonObject): Errors {
  const path = `spec.${REQUIRED.join('.')}.nodeSelectorTerms`;
  const [terms, old] = [objectsAt(now, 'nodeSelectorTerms'), objectsAt(before, 'nodeSelectorTerms')];
  if (old.length === 0) return NONE;
  if (terms.length !== old.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return showing('*core.NodeSelectorTerm', [
      fieldErrors.invalid(path, valueAt(now, 'nodeSelectorTerms'), detail),
    ]);
  }
  return terms.flatMap((term, index) =>
    showing(
      'core.NodeSelectorTerm',
      invalid(
        !onlyAdds(term, old[index] ?? {}),
        `${path}[${index}]`,
        term,
        'only additions are allowed (no mutations or deletions)',
      ),
    ),
  );
}

/** A term without requirements selects nothing, and one more would let it select something. */
function onlyAdds(term: JsonObject, old: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  const count = (one: JsonObject): number => lists.reduce((sum, key) => sum + itemsAt(one, key).length, 0);
  if (count(old) === 0) return count(term) === 0;
  return lists.every((key) => {
    const kept = itemsAt(old, key);
    return jsonEqual(itemsAt(term, key).slice(0, kept.length), kept);
  });
}
