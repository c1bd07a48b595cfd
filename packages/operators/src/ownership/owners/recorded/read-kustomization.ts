import { apiVersionOf, defined, isJsonArray, isJsonObject, type Json } from '@kubewright/kube';
import type { CommandStage } from '../../../kit/operator.ts';
import { OperatorError } from '../../../operator-error.ts';
import { at, MOST_OBJECTS, readCustom } from './custom-record.ts';
import type { RecordedObject, ToolRecord } from './tool-record.ts';

/** The record of a Flux Kustomization: the inventory in its status. Flux keeps no manifests in the cluster. */
export async function readKustomization(name: string, stage: CommandStage): Promise<ToolRecord> {
  const group = 'kustomize.toolkit.fluxcd.io';
  const kustomization = await readCustom({ group, kind: 'Kustomization' }, name, stage);
  if (at(kustomization, 'spec', 'kubeConfig') !== undefined)
    throw new OperatorError(
      'Usage',
      `Kustomization ${name} is deployed to another cluster (spec.kubeConfig); ask that one, object by object: kubewright owners migrate KIND/NAME --to kustomize-controller`,
    );
  const entries = at(kustomization, 'status', 'inventory', 'entries');
  const all = (isJsonArray(entries) ? entries : []).slice(0, MOST_OBJECTS);
  return {
    title: `Flux Kustomization ${name} in ${stage.namespace}`,
    managers: ['kustomize-controller'],
    objects: all.flatMap(objectOf),
    notes: [],
    next: 'flux reconcile kustomization',
  };
}

/** `NAMESPACE_NAME_GROUP_KIND`; in a name, `__` stands for a colon, and a single underscore is not possible. */
function objectOf(entry: Json): readonly RecordedObject[] {
  if (!isJsonObject(entry)) return [];
  const { id, v } = entry;
  if (typeof id !== 'string' || typeof v !== 'string') return [];
  const [first, last] = [id.indexOf('_'), id.lastIndexOf('_')];
  const beforeGroup = id.lastIndexOf('_', last - 1);
  if (first < 0 || beforeGroup <= first) return [];
  const namespace = id.slice(0, first);
  const name = id.slice(first + 1, beforeGroup).replaceAll('__', ':');
  const apiVersion = apiVersionOf({ group: id.slice(beforeGroup + 1, last), version: v });
  const kind = id.slice(last + 1);
  return [
    {
      ...defined({ namespace: namespace === '' ? undefined : namespace }),
      apiVersion,
      kind,
      name,
      earlier: [],
    },
  ];
}
