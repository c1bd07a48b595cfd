import { apiVersionOf, defined, isJsonArray, type Json } from '@kubewright/kube';
import type { CommandStage } from '../../../kit/operator.ts';
import { OperatorError } from '../../../operator-error.ts';
import { at, MOST_OBJECTS, readCustom, textAt } from './custom-record.ts';
import type { RecordedObject, ToolRecord } from './tool-record.ts';

const IN_CLUSTER = new Set(['https://kubernetes.default.svc', 'in-cluster']);

/** The record of an Argo CD Application: the objects of its status. Argo CD keeps no manifests in the cluster. */
export async function readApplication(name: string, stage: CommandStage): Promise<ToolRecord> {
  const application = await readCustom({ group: 'argoproj.io', kind: 'Application' }, name, stage);
  const destination = at(application, 'spec', 'destination') ?? {};
  const [server, cluster] = [textAt(destination, 'server'), textAt(destination, 'name')];
  const elsewhere = [server, cluster].find((text) => text !== undefined && !IN_CLUSTER.has(text));
  if (elsewhere !== undefined)
    throw new OperatorError(
      'Usage',
      `Application ${name} is deployed to ${elsewhere}; ask that cluster, object by object: kubewright owners migrate KIND/NAME --to argocd-controller`,
    );
  const resources = at(application, 'status', 'resources');
  const all = (isJsonArray(resources) ? resources : []).slice(0, MOST_OBJECTS);
  const options = at(application, 'spec', 'syncPolicy', 'syncOptions');
  const isServerSide = isJsonArray(options) && options.includes('ServerSideApply=true');
  return {
    title: `Argo CD Application ${name} in ${stage.namespace}`,
    managers: ['argocd-controller'],
    objects: all.flatMap(objectOf),
    notes: isServerSide
      ? []
      : ['the Application has no sync option ServerSideApply=true: it is needed before the next sync'],
    next: 'argocd app sync',
  };
}

/** An object that is in the cluster and not in the Application's source is to be pruned as a whole: not ours. */
function objectOf(entry: Json): readonly RecordedObject[] {
  const [version, kind, name] = [textAt(entry, 'version'), textAt(entry, 'kind'), textAt(entry, 'name')];
  if (version === undefined || kind === undefined || name === undefined) return [];
  if (at(entry, 'requiresPruning') === true) return [];
  const apiVersion = apiVersionOf({ group: textAt(entry, 'group') ?? '', version });
  return [{ ...defined({ namespace: textAt(entry, 'namespace') }), apiVersion, kind, name, earlier: [] }];
}
