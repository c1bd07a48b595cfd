import type { ObjectMeta } from '@kubewright/kube';
import { toolMarks, type ToolRecordKind } from '../../../kit/tool-marks.ts';

/** What a DNS name is made of: the line is to be pasted into a shell. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** By field manager: the option for its record, and the kind of the record. */
const RECORDS = new Map<string, readonly [option: string, kind: ToolRecordKind, namespace?: string]>([
  ['helm', ['release', 'Release']],
  ['helm-controller', ['release', 'Release']],
  ['argocd-controller', ['application', 'Application', 'argocd']],
  ['kustomize-controller', ['kustomization', 'Kustomization']],
]);

/**
 * The options of `owners plan` for the record of the tool that applies an object, from the annotations and labels that
 * Helm, Argo CD and Flux set. Anybody can set them: what is no name is not one.
 */
export function recordOf(metadata: ObjectMeta, manager: string): string | undefined {
  const [option = '', kind, fixed] = RECORDS.get(manager) ?? [];
  const { name = '', namespace = fixed ?? '' } =
    toolMarks({ metadata }).find(({ record }) => record.kind === kind)?.record ?? {};
  return NAME.test(name) && NAME.test(namespace) ? `--${option} ${name} -n ${namespace}` : undefined;
}
