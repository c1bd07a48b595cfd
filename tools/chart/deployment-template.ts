import type { KubeObject } from '@kubewright/kube';
import type { Operator } from '@kubewright/operators';
import { addressOfAgents } from '../../packages/kubewright/src/run/node-agents.ts';
import { areSomeOn, HAS_AGENTS, isOn, USES_CERT_MANAGER } from './conditions.ts';
import { entriesOf, lines, optional, text, tree, type Value, when } from './write-template.ts';

type Tree = { readonly [name: string]: Value };
type PodSpec = Tree & { readonly containers: readonly Tree[] };
/** A Deployment or a DaemonSet. */
export type PodTemplated = {
  readonly spec: { readonly template: { readonly metadata: Tree; readonly spec: PodSpec } };
};

/** Of every container. */
export const IMAGE = {
  image: text('{{ include "kubewright.image" . | quote }}'),
  imagePullPolicy: text('{{ .Values.image.pullPolicy }}'),
};

const CERTIFICATES = '/etc/kubewright/certificates';

export function withPodSpec(object: PodTemplated, change: (podSpec: PodSpec) => Tree): Value {
  const { spec } = object;
  const template = { ...spec.template, spec: change(spec.template.spec) };
  return { ...object, spec: { ...spec, template } };
}

/** The Deployment of the manager. */
export function deploymentTemplate(
  deployment: KubeObject,
  operators: readonly Operator[],
  webhooked: readonly Operator[],
): Value {
  const { spec, ...object } = deployment as unknown as PodTemplated & { readonly spec: Tree };
  const { template, ...rest } = spec;
  const { metadata } = template;
  const labels = { ...(metadata['labels'] as Tree), '': entriesOf('podLabels') };
  const annotated = { ...metadata, labels, annotations: optional('podAnnotations') };
  const replicated = { ...rest, replicas: text('{{ .Values.replicas }}') };
  return withPodSpec(
    { ...object, spec: { ...replicated, template: { ...template, metadata: annotated } } },
    (podSpec) => podSpecTemplate(podSpec, operators, `and ${USES_CERT_MANAGER} (${areSomeOn(webhooked)})`),
  );
}

function podSpecTemplate(podSpec: PodSpec, operators: readonly Operator[], mounts: string): Tree {
  const { topologySpreadConstraints, containers, ...rest } = podSpec;
  const spread = 'topologySpreadConstraints';
  const secret = { name: 'certificates', secret: { secretName: 'kubewright-webhooks' } };
  const { volumes } = addressOfAgents();
  return {
    ...rest,
    imagePullSecrets: optional('imagePullSecrets'),
    priorityClassName: optional('priorityClassName'),
    nodeSelector: optional('nodeSelector'),
    tolerations: optional('tolerations'),
    affinity: optional('affinity'),
    [spread]: when(`not .Values.${spread}`, topologySpreadConstraints ?? []),
    '': entriesUnder(spread),
    containers: containers.map((container) => containerTemplate(container, operators, mounts)),
    volumes: when(`or (${HAS_AGENTS}) (${mounts})`, [
      ...volumes.map((volume) => when(HAS_AGENTS, volume)),
      when(mounts, secret),
    ]),
  };
}

/** The same name once more, for what is given in the place of a default. */
function entriesUnder(path: string): Value {
  return lines(`{{- with .Values.${path} }}\n${path}:\n{{- toYaml . | nindent INDENT }}\n{{- end }}`);
}

function containerTemplate(container: Tree, operators: readonly Operator[], mounts: string): Tree {
  const { env, args, ...rest } = container;
  const agents = addressOfAgents();
  const folder = { name: 'certificates', mountPath: CERTIFICATES, readOnly: true };
  return {
    ...rest,
    ...IMAGE,
    args: [
      ...(args as readonly string[]).map((arg) =>
        arg.startsWith('--operators=') ? text('--operators={{ include "kubewright.operators" . }}') : arg,
      ),
      '--no-crds',
      when(mounts, `--webhook-cert-dir=${CERTIFICATES}`),
      lines('{{- range .Values.extraArgs }}\n- {{ . | quote }}\n{{- end }}'),
    ],
    env: [
      ...(env as readonly Value[]),
      ...agents.env.map((one) => when(HAS_AGENTS, one)),
      ...operators.map(({ name }) => when(isOn(name), settingsOf(name))),
      lines('{{- with .Values.extraEnv }}\n{{- toYaml . | nindent INDENT }}\n{{- end }}'),
    ],
    resources: tree('.Values.resources'),
    volumeMounts: when(`or (${HAS_AGENTS}) (${mounts})`, [
      ...agents.volumeMounts.map((one) => when(HAS_AGENTS, one)),
      when(mounts, folder),
    ]),
  };
}

/** Kubernetes would put a variable in the place of `$(NAMESPACE)`. */
function settingsOf(operator: string): Value {
  return lines(
    [
      `{{- range $name, $value := .Values.operators.${operator}.settings }}`,
      '- name: {{ $name }}',
      '  value: {{ $value | replace "$(" "$$(" | quote }}',
      '{{- end }}',
    ].join('\n'),
  );
}
