import type { JsonObject } from '@kubewright/kube';
import { entriesAt } from '../objects/read.ts';

/** A map of labels as `a=1,b=2`; `<none>` where it is empty. */
export function formatLabels(object: JsonObject, key: string): string {
  return (
    entriesAt(object, key)
      .map(([name, value]) => `${name}=${value}`)
      .join(',') || '<none>'
  );
}
