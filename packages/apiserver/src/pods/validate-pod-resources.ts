import type { JsonObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { type Errors, forbidden, inside, invalid, oneOf } from '../validation/errors.ts';
import { entriesAt, has, maybeObject, maybeString, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { type Amounts, aggregateContainerResources } from './aggregate-container-resources.ts';
import { isHugePages, resourceName, validateResources } from './validate-resources.ts';

/** `spec.resources`: limits of a pod as a whole, which its containers must fit in. */
export function validatePodResources(spec: JsonObject, path: string, claims: readonly string[]): Errors {
  const at = `${path}.resources`;
  return inside(maybeObject(spec, 'resources'), (resources) => {
    if (stringAt(objectAt(spec, 'os'), 'name') === 'windows') {
      return forbidden(true, at, 'may not be set for a windows pod');
    }
    return [
      ...forbidden(
        has(resources, 'claims'),
        `${at}.claims`,
        'claims may not be set for Resources at pod-level',
      ),
      ...validateResources(resources, claims, at, podResourceName),
      ...validateConsistency(spec, resources, at),
    ];
  });
}

function podResourceName(name: string, path: string): Errors {
  const errors = resourceName(name, path);
  if (errors.length > 0 || isHugePages(name)) return errors;
  return oneOf(name, path, ['cpu', 'hugepages-', 'memory']);
}

function validateConsistency(spec: JsonObject, resources: JsonObject, path: string): Errors {
  const huge = Object.entries(aggregateContainerResources(spec, 'limits')).filter(([name]) =>
    isHugePages(name),
  );
  return [
    ...atLeast(resources, 'requests', aggregateContainerResources(spec, 'requests'), path),
    ...atLeast(resources, 'limits', Object.fromEntries(huge), path),
    ...objectsAt(spec, 'containers').flatMap((container, index) =>
      entriesAt(objectAt(container, 'resources'), 'limits').flatMap(([name, amount]) => {
        const limit = maybeString(objectAt(resources, 'limits'), name);
        const above = limit !== undefined && compareQuantity(amount, limit) > 0;
        const at = `${path}.containers[${index}][${name}].limits`;
        return invalid(above, at, amount, `must be less than or equal to pod limits of ${limit}`);
      }),
    ),
  ];
}

function atLeast(resources: JsonObject, which: 'requests' | 'limits', sum: Amounts, path: string): Errors {
  return entriesAt({ sum }, 'sum').flatMap(([name, amount]) => {
    const own = maybeString(objectAt(resources, which), name);
    const below = own !== undefined && compareQuantity(amount, own) > 0;
    const detail = `must be greater than or equal to aggregate container ${which} of ${amount}`;
    return invalid(below, `${path}.${which}[${name}]`, own ?? null, detail);
  });
}
