import { getOwn, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';

/** The kinds in which tools record what they have applied; `Release` is one of Helm's, in Secrets. */
export type ToolRecordKind =
  | 'Application'
  | 'ApplySet'
  | 'HelmRelease'
  | 'Kustomization'
  | 'Release'
  | 'other';

/** A mark by which a tool knows the objects that it manages. Whoever writes an object can write it. */
export type ToolMark = {
  readonly on: 'labels' | 'annotations';
  readonly key: string;
  readonly value: string;
  /** For people: `Flux Kustomization shop/apps`. */
  readonly title: string;
  /** Where the tool records what it has applied; without a namespace where the mark does not say. */
  readonly record: { readonly kind: ToolRecordKind; readonly namespace?: string; readonly name: string };
};

type Form = Pick<ToolMark, 'on' | 'key'> & {
  readonly tool: string;
  readonly kind: ToolRecordKind;
  readonly nameOf?: (value: string) => string;
  readonly namespaceKey?: string;
};

const FORMS: readonly Form[] = [
  {
    on: 'annotations',
    key: 'meta.helm.sh/release-name',
    tool: 'Helm release',
    kind: 'Release',
    namespaceKey: 'meta.helm.sh/release-namespace',
  },
  {
    on: 'annotations',
    key: 'argocd.argoproj.io/tracking-id',
    tool: 'Argo CD Application',
    kind: 'Application',
    // APPLICATION:GROUP/KIND:NAMESPACE/NAME
    nameOf: (id) => id.split(':', 1)[0] ?? '',
  },
  {
    on: 'labels',
    key: 'argocd.argoproj.io/instance',
    tool: 'Argo CD Application',
    kind: 'Application',
  },
  {
    on: 'labels',
    key: 'kustomize.toolkit.fluxcd.io/name',
    tool: 'Flux Kustomization',
    kind: 'Kustomization',
    namespaceKey: 'kustomize.toolkit.fluxcd.io/namespace',
  },
  {
    on: 'labels',
    key: 'helm.toolkit.fluxcd.io/name',
    tool: 'Flux HelmRelease',
    kind: 'HelmRelease',
    namespaceKey: 'helm.toolkit.fluxcd.io/namespace',
  },
  { on: 'labels', key: 'applyset.kubernetes.io/part-of', tool: 'ApplySet', kind: 'ApplySet' },
  { on: 'annotations', key: 'config.k8s.io/owning-inventory', tool: 'inventory', kind: 'other' },
  { on: 'labels', key: 'kapp.k14s.io/app', tool: 'kapp application', kind: 'other' },
];

/** The marks of the tools that say that they manage an object. */
export function toolMarks({ metadata }: Pick<KubeObject, 'metadata'>): readonly ToolMark[] {
  return FORMS.flatMap((form) => markOf(form, metadata) ?? []);
}

function markOf(form: Form, metadata: KubeObject['metadata']): ToolMark | undefined {
  const { on, key, tool, kind, nameOf, namespaceKey = '' } = form;
  const value = textIn(metadata[on], key);
  if (value === '') return undefined;
  const name = nameOf?.(value) ?? value;
  const namespace = textIn(metadata[on], namespaceKey);
  const title = `${tool} ${namespace === '' ? name : `${namespace}/${name}`}`;
  const place = kind === 'Application' ? placeOfApplication(name) : { name };
  return { on, key, value, title, record: { kind, ...(namespace === '' ? place : { namespace, name }) } };
}

/** `shop_web` is Application web of namespace shop; names have no underscores. */
function placeOfApplication(id: string): { readonly namespace?: string; readonly name: string } {
  const end = id.indexOf('_');
  return end < 0 ? { name: id } : { namespace: id.slice(0, end), name: id.slice(end + 1) };
}

/** An own text of labels or annotations: whoever writes an object chooses their keys. Empty: it has none. */
function textIn(map: Json | undefined, key: string): string {
  const value = isJsonObject(map) ? getOwn(map, key) : undefined;
  return typeof value === 'string' ? value : '';
}
